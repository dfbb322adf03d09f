// The events that a script writes, one JSON object a line (skills 2), and the request it reads (skills 1).

export function emit(type, fields) {
  process.stdout.write(JSON.stringify({ version: "0", type, ...fields }) + "\n");
}

// What was asked for cannot be done: said in an error event, then done with ok false.
export class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }

  report() {
    emit("error", { errorCode: this.code, errorMessage: this.message });
    emit("done", { ok: false, summary: this.message.slice(0, 500) });
  }
}

export async function readRequest() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  let request;
  try {
    request = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    request = null;
  }
  const input = request?.input;
  if (input === null || typeof input !== "object" || Array.isArray(input)) {
    throw new Refusal("bad_request", "stdin held no JSON object with an input object; send one.");
  }
  return { requestId: String(request.requestId ?? ""), input };
}
