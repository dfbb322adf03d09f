// The body as text, where it is text: by its content type, its charset, and what its bytes say.

export const MOST_CHARACTERS = 20_000;

const TEXT_TYPE = /^(text\/.*|application\/(json|xml|javascript|ecmascript|x-www-form-urlencoded|yaml|x-ndjson)|.*\+(json|xml|yaml))$/;
const LATIN_1 = new Set(["iso-8859-1", "iso8859-1", "latin1", "latin-1", "windows-1252", "cp1252"]);
const UTF_8 = new Set(["utf-8", "utf8", "us-ascii", "ascii"]);

// { mediaType, charset }, both in lower case; charset is "" when none is said.
export function contentType(headers) {
  const said = String(headers["content-type"] ?? "").toLowerCase();
  const [type] = said.split(";", 1);
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/.exec(said)?.[1] ?? "";
  const isWellFormed = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(type.trim());
  return { mediaType: isWellFormed ? type.trim() : "application/octet-stream", charset };
}

// { isText, body, truncated, note }; note says what a reader should know, or is null.
export function decoded(bytes, headers) {
  const { mediaType, charset } = contentType(headers);
  const encoding = String(headers["content-encoding"] ?? "identity").toLowerCase();
  const binary = (note) => ({ isText: false, body: "", truncated: false, note });
  if (encoding !== "identity") return binary(`The body is packed as ${encoding.slice(0, 40)} and was left as it is.`);
  if (!TEXT_TYPE.test(mediaType)) return binary(null);
  if (charset && !UTF_8.has(charset) && !LATIN_1.has(charset)) {
    return binary(`The charset ${charset.slice(0, 40)} is not decoded; set save to true to keep the bytes.`);
  }
  const { text, note } = LATIN_1.has(charset) ? { text: latin1(bytes), note: null } : fromUtf8(bytes, charset);
  const body = shortened(text);
  return { isText: true, body, truncated: body.length < text.length, note };
}

function fromUtf8(bytes, charset) {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), note: null };
  } catch {
    if (charset === "") return { text: latin1(bytes), note: "The body is no UTF-8; it was read as Latin-1." };
    return { text: new TextDecoder("utf-8").decode(bytes), note: "The body is no valid UTF-8: bytes were replaced." };
  }
}

const latin1 = (bytes) => new TextDecoder("windows-1252").decode(bytes);

// Cut between characters, never through a surrogate pair.
function shortened(text) {
  if (text.length <= MOST_CHARACTERS) return text;
  const isHalf = /[\ud800-\udbff]/.test(text[MOST_CHARACTERS - 1]);
  return text.slice(0, isHalf ? MOST_CHARACTERS - 1 : MOST_CHARACTERS);
}
