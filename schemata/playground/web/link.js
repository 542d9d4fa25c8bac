// The state of the page in its link, after the #: JSON, compressed, in letters that links may have. It is sent to nobody.
// Links are written by strangers: what is read is checked piece by piece, and has a greatest size.

const GREATEST_LINK = 200_000;
const GREATEST = 1_000_000;
const MARK = "1.";  // the version of what stands behind it

export const EMPTY = { schema: "", sentence: "", grammar: "", parameters: {}, examples: [], name: "", tab: "chart", exercise: "", variant: null, answer: "" };

async function through(bytes, stream, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new Error("the link holds too much");
    }
    parts.push(value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export async function written(state) {
  const text = new TextEncoder().encode(JSON.stringify(state));
  const packed = await through(text, new CompressionStream("deflate-raw"), GREATEST);
  let letters = "";
  for (const byte of packed) letters += String.fromCharCode(byte);
  return MARK + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// The state that a link holds; null if it holds none. Throws where it is damaged.
export async function read(hash) {
  const text = hash.replace(/^#/, "");
  if (!text) return null;
  if (!text.startsWith(MARK) || text.length > GREATEST_LINK) throw new Error("the link is not one of this page");
  const letters = atob(text.slice(MARK.length).replaceAll("-", "+").replaceAll("_", "/"));
  const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const whole = await through(packed, new DecompressionStream("deflate-raw"), GREATEST);
  return checked(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(whole)));
}

function text(value, most) {
  return typeof value === "string" ? value.slice(0, most) : "";
}

export function checked(given) {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw new Error("the link holds no state");
  const state = {
    schema: text(given.schema, 200_000),
    sentence: text(given.sentence, 5_000),
    grammar: text(given.grammar, 200_000),
    name: text(given.name, 100),
    tab: text(given.tab, 20),
    exercise: text(given.exercise, 100),
    variant: Number.isSafeInteger(given.variant) && given.variant >= 0 && given.variant < 1_000_000 ? given.variant : null,
    answer: text(given.answer, 5_000),
    parameters: {},
    examples: [],
  };
  const parameters = typeof given.parameters === "object" && given.parameters !== null ? given.parameters : {};
  for (const [name, value] of Object.entries(parameters).slice(0, 20)) {
    if (Number.isSafeInteger(value)) state.parameters[name.slice(0, 50)] = value;
  }
  for (const row of Array.isArray(given.examples) ? given.examples.slice(0, 100) : []) {
    if (typeof row === "object" && row !== null) {
      state.examples.push({ sentence: text(row.sentence, 5_000), expected: text(row.expected, 2_000) });
    }
  }
  return state;
}
