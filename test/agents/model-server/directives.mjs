/** What a prompt asks of the model server: `[[fake: tool kind=shell command="ls"]]`. */

const TAG = /\[\[\s*fake\s*:\s*([\s\S]*?)\s*\]\]/g;

/** "tool kind=shell command="ls -la" args={"a":1}" -> { name, options } */
export function parseDirective(source) {
  const src = source.trim();
  const name = /^[\w-]+/.exec(src)?.[0] ?? "text";
  const options = {};
  let i = name.length;
  while (i < src.length) {
    const key = /^\s*([\w-]+)/.exec(src.slice(i));
    if (!key) {
      i++;
      continue;
    }
    i += key[0].length;
    if (src[i] !== "=") {
      options[key[1]] = true;
      continue;
    }
    const end = valueEnd(src, i + 1);
    options[key[1]] = readValue(src.slice(i + 1, end));
    i = end;
  }
  return { name, options };
}

function valueEnd(src, start) {
  const open = src[start];
  if (open === '"' || open === "'") {
    for (let i = start + 1; i < src.length; i++) {
      if (src[i] === "\\") i++;
      else if (src[i] === open) return i + 1;
    }
    return src.length;
  }
  if (open === "{" || open === "[") {
    let depth = 0,
      quoted = false;
    for (let i = start; i < src.length; i++) {
      const ch = src[i];
      if (quoted) {
        if (ch === "\\") i++;
        else if (ch === '"') quoted = false;
        continue;
      }
      if (ch === '"') quoted = true;
      else if (ch === "{" || ch === "[") depth++;
      else if (ch === "}" || ch === "]") {
        if (--depth === 0) return i + 1;
      }
    }
    return src.length;
  }
  const stop = src.slice(start).search(/\s/);
  return stop < 0 ? src.length : start + stop;
}

function readValue(raw) {
  if (raw.startsWith("'")) return raw.slice(1, -1);
  if (/^["[{]/.test(raw)) {
    try {
      return JSON.parse(raw);
    } catch {
      return raw;
    }
  }
  if (raw === "true" || raw === "false") return raw === "true";
  return /^-?\d+(\.\d+)?$/.test(raw) ? Number(raw) : raw;
}

export function directivesIn(text) {
  return [...text.matchAll(TAG)].map((m) => parseDirective(m[1]));
}
