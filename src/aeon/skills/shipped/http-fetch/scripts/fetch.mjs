#!/usr/bin/env node
// Fetches one URL (node 18 or newer, nothing else). stdin: one line of JSON; stdout: one JSON event a line.

import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Allowed } from "../lib/allowed.mjs";
import { download } from "../lib/download.mjs";
import { emit, readRequest, Refusal } from "../lib/protocol.mjs";
import { contentType, decoded } from "../lib/text.mjs";

function parsedUrl(text) {
  try {
    return new URL(text);
  } catch {
    throw new Refusal("bad_url", "url is no absolute URL; write one such as https://example.org/page.");
  }
}

function save(requestId, url, body) {
  const safe = (text, otherwise) => text.replace(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, "").slice(0, 80) || otherwise;
  const digest = crypto.createHash("sha256").update(url.href).digest("hex").slice(0, 12);
  const folder = path.resolve("downloads", safe(requestId, "request"), digest);
  fs.mkdirSync(folder, { recursive: true });
  const file = path.join(folder, safe(url.pathname.split("/").pop(), "body"));
  const beside = path.join(folder, `.${process.pid}.part`);
  fs.writeFileSync(beside, body);
  fs.renameSync(beside, file);
  return file;
}

async function fetchOnce() {
  const { requestId, input } = await readRequest();
  const config = JSON.parse(process.env.AEON_SKILL_CONFIG || "{}");
  const method = input.method ?? "GET";
  if (method !== "GET" && method !== "HEAD") throw new Refusal("bad_input", "method is neither GET nor HEAD.");
  const answer = await download(parsedUrl(input.url), method, new Allowed(config.allowedHosts ?? []), {
    bytes: config.maxBytes ?? 1024 * 1024,
    seconds: config.timeoutSeconds ?? 15,
    redirects: config.followRedirects ?? 5,
  });
  const { mediaType } = contentType(answer.headers);
  const { isText, body, truncated, note } = decoded(answer.body, answer.headers);
  if (note !== null) emit("log", { level: "warn", message: note });
  const url = answer.url.href;
  if (input.save === true && method === "GET") {
    const metadata = { url, status: answer.status, bytes: answer.body.length };
    emit("asset", { assetId: "body", kind: "download", mediaType, path: save(requestId, answer.url, answer.body), metadata });
  }
  const { status, redirects } = answer;
  const told = { url, status, mediaType, bytes: answer.body.length, redirects, isText, body, truncated };
  emit("state_patch", { patch: { http: told } });
  const cut = truncated ? `, of which the first ${body.length} characters are told` : "";
  emit("done", { ok: true, summary: `${status} from ${answer.url.host}: ${told.bytes} bytes of ${mediaType}${cut}.` });
}

try {
  await fetchOnce();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  error.report();
}

// A look-up of a name that was given up would keep the process waiting for its answer.
process.stdout.write("", () => process.exit(0));
