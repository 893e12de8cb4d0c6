// A program that uses the API the way raisin's own JavaScript client does: bearer token, fetch, `flow-event` blocks, an
// encoded task path, errors read from `message`. Arguments: base URL, name and password. Prints what it saw as JSON.
const [base, name, password] = process.argv.slice(2);
let token = null;

async function call(method, path, body) {
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  const answer = await fetch(base + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(JSON.parse(text).message);
  return answer.headers.get("content-type")?.includes("application/json") ? JSON.parse(text) : undefined;
}

async function* follow(id) {
  const headers = { Accept: "text/event-stream", "Cache-Control": "no-cache", Authorization: `Bearer ${token}` };
  const answer = await fetch(`${base}/api/flows/default/instances/${id}/events`, { headers });
  if (!answer.ok || !answer.body) throw new Error(`no stream: ${answer.status}`);
  let rest = "";
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const lines = block.split("\n");
      const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trim()).join("\n");
      if (lines.some((line) => line.trim() === "event: flow-event") && data) yield JSON.parse(data);
    }
  }
}

const refused = await call("POST", "/api/raisindb/sys/default/auth", { username: name, password: "wrong" }).catch(
  (error) => error.message,
);
const signedIn = await call("POST", "/api/raisindb/sys/default/auth", { username: name, password });
token = signedIn.access_token;
const started = await call("POST", "/api/flows/default/run", { flow_path: "/flows/f", input: { order: "A1" } });
const events = [];
let completed = null;
for await (const event of follow(started.instance_id)) {
  events.push(event);
  if (event.type === "flow_waiting") {
    const { tasks } = await call("GET", "/api/inbox/default?status=pending");
    const path = `/api/inbox/default/tasks/${encodeURIComponent(tasks[0].path)}`;
    const task = await call("GET", path);
    completed = await call("POST", `${path}/complete`, { response: { action: task.options[0].value } });
  }
  if (event.type === "flow_completed" || event.type === "flow_failed") break;
}
const instance = await call("GET", `/api/flows/default/instances/${started.instance_id}`);
console.log(JSON.stringify({ refused, signedIn, started, events, completed, instance }));
