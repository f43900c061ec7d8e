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
/** Packages that say their platform nowhere in the name. */
const NAMED = new Map([["fsevents", { os: ["darwin"] }]]);

/**
 * The platform that the name of an optional package states (`@scope/thing-linux-x64-musl`), in the lists that package.json
 * uses; undefined when it states none.
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
