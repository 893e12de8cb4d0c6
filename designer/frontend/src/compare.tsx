// The page that compares two versions: reads what designer/presenters/comparison.py put into it and draws both.

import { createRoot } from "react-dom/client";
import "@xyflow/react/dist/base.css";
import { Saving } from "./app/saving";
import { setWords } from "./app/start";
import { stillSession, type Still } from "./app/still";
import "./style/design.css";
import { Compare, type Versions } from "./ui/Compared";

const mount = document.getElementById("compare");
const data = document.getElementById("compare-data");
if (mount && data) {
  const { before, after, ...rest } = JSON.parse(data.textContent ?? "") as Versions & Omit<Still, "content">;
  setWords(rest);
  const saving = new Saving(stillSession({ ...rest, content: after }));
  createRoot(mount).render(<Compare before={before} after={after} data={rest} saving={saving} />);
}
