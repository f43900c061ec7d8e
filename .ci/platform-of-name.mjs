const OS = new Map(
  ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"].map((os) => [
    os,
    os,
  ]),
);
OS.set("windows", "win32").set("linuxmusl", "linux");
const CPUS = new Set(["arm", "arm64", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"]);
const LIBC = new Map([
  ["gnu", "glibc"],
  ["glibc", "glibc"],
  ["musl", "musl"],
  ["linuxmusl", "musl"],
]);
/** Packages whose names do not state their platform. */
const NAMED = new Map([
  ["fsevents", { os: ["darwin"] }],
  ["napi-windows-process-start-time", { os: ["win32"] }],
]);

/**
 * The platform in the name of an optional package (`@scope/thing-linux-x64-musl`), in the format of package.json;
 * undefined if the name states none.
 */
export function platformOfName(name) {
  if (NAMED.has(name)) return NAMED.get(name);
  const words = name.split(/[/-]/);
  const os = words.findLast((word) => OS.has(word));
  const cpu = words.findLast((word) => CPUS.has(word));
  if (cpu === "wasm32") return { cpu: ["wasm32"] };
  if (!os || (!cpu && !words.includes("universal"))) return undefined;
  const libc = LIBC.get(words.findLast((word) => LIBC.has(word)));
  return {
    os: [OS.get(os)],
    ...(cpu && { cpu: [cpu] }),
    ...(OS.get(os) === "linux" && libc && { libc: [libc] }),
  };
}
