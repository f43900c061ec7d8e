import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";

/** The declaration of a port's method. */
export interface ContractPlace {
  /** Interface and method, such as `SessionRepository.open`. */
  readonly method: string;
  /** File in its package, such as `@sallyport/storage/dist/ports/session-repository.d.ts`. */
  readonly file: string;
  /** Line of the method in the file, from 1. */
  readonly line: number;
}

const declarations = dirname(createRequire(import.meta.url).resolve("@sallyport/storage"));

/** Reads the declarations of all port methods from `@sallyport/storage`, by names such as `sessions.open`, `storage.migrate` and `kernel.read`. */
export function readContracts(): ReadonlyMap<string, ContractPlace> {
  const folder = join(declarations, "ports");
  const repositories = readFileSync(join(folder, "repositories.d.ts"), "utf8");
  const imports = repositories.matchAll(/^import type \{ ([\w, ]+) \} from "(.*)\.[jt]s";$/gm);
  const files = new Map(
    Array.from(imports, ([, names = "", path = ""]) =>
      names.split(", ").map((port) => [port, join(folder, `${path}.d.ts`)] as const),
    ).flat(),
  );
  const members = /^export interface Repositories \{$(.*?)^\}$/ms.exec(repositories)?.[1] ?? "";
  const ports = Array.from(members.matchAll(/readonly (\w+): (\w+);/g), ([, name = "", port = ""]) => ({
    name,
    port,
    file: files.get(port) ?? "",
  }));
  const storage = { name: "storage", port: "Storage", file: join(folder, "storage.d.ts") };
  const archive = { name: "archive", port: "StorageArchive", file: join(folder, "storage-archive.d.ts") };
  const kernel = join(declarations, "kernel", "kernel.d.ts");
  const ofKernel = [
    { name: "kernel", port: "Kernel", file: kernel },
    { name: "reader", port: "KernelReader", file: kernel },
    { name: "transaction", port: "KernelTransaction", file: kernel },
  ];
  return new Map([storage, archive, ...ports, ...ofKernel].flatMap(contractsOf));
}

function contractsOf({
  name,
  port,
  file,
}: {
  readonly name: string;
  readonly port: string;
  readonly file: string;
}): [string, ContractPlace][] {
  const lines = readFileSync(file, "utf8").split("\n");
  const start = lines.findIndex((line) => line.startsWith(`export interface ${port} `));
  const body = lines.slice(start, start + lines.slice(start).indexOf("}"));
  const shown = `@sallyport/storage/${relative(dirname(declarations), file).replaceAll(sep, "/")}`;
  return body.flatMap((text, index): [string, ContractPlace][] => {
    const method = /^ {4}(\w+)[(<]/.exec(text)?.[1];
    return method === undefined
      ? []
      : [[`${name}.${method}`, { method: `${port}.${method}`, file: shown, line: start + index + 1 }]];
  });
}
