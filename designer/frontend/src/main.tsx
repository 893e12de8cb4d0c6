// The designer's page: reads what the server put into it and begins.

import { createRoot } from "react-dom/client";
import "@xyflow/react/dist/base.css";
import { Saving } from "./app/saving";
import { Session } from "./app/session";
import { setWords, type Start } from "./app/start";
import "./style/design.css";
import { App } from "./ui/App";

const mount = document.getElementById("design");
const data = document.getElementById("design-start");
if (mount && data) {
  const start = JSON.parse(data.textContent ?? "") as Start;
  setWords(start);
  const session = new Session(start);
  createRoot(mount).render(<App session={session} saving={new Saving(session)} />);
}
