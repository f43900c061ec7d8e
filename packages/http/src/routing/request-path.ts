const unusual = /[%;\\]|\/\/|\/\.{1,2}(?:\/|$)|\/$/;

/**
 * The segments of a path, decoded. Doubled and trailing slashes are tolerated; `null` for what could mean another
 * path to somebody else: encoded slashes, `;`, backslashes, dot segments, broken escapes, control characters.
 */
export function pathSegments(path: string): string[] | null {
  if (!unusual.test(path)) return path.split("/").slice(1);
  if (/[;\\]/.test(path)) return null;
  const segments: string[] = [];
  for (const raw of path.split("/")) {
    if (raw === "") continue;
    const segment = decode(raw);
    if (segment === null || segment === "." || segment === ".." || hasForbiddenCharacter(segment)) return null;
    segments.push(segment);
  }
  return segments;
}

/** Proxies may send the absolute form of a request target. */
export function originForm(url: string): string {
  return url.startsWith("/") ? url : url.replace(/^[a-z]+:\/\/[^/?]*/i, "");
}

/** The segments below a base path; `null` for a path that is not below it. */
export function withoutBase(segments: string[] | null, basePath: string): string[] | null {
  if (segments === null || basePath === "") return segments;
  const base = basePath.split("/").slice(1);
  return base.every((part, index) => segments[index] === part) ? segments.slice(base.length) : null;
}

function decode(raw: string): string | null {
  if (!raw.includes("%")) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    return null;
  }
}

function hasForbiddenCharacter(segment: string): boolean {
  for (const character of segment) {
    const point = character.codePointAt(0) as number;
    if (point < 0x20 || point === 0x7f || character === "/" || character === "\\" || character === ";") return true;
  }
  return false;
}
