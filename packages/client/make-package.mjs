/**
 * Makes the published package, `dist/package`: the client with the parts of the contract that it uses, so that it has no
 * dependency. Types of the contract are written out, because they are inferred from schemas of zod. Does nothing if the
 * package is current.
 *
 *     node packages/client/make-package.mjs
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { API } from "typescript/unstable/sync";

const client = import.meta.dirname;
const contract = join(client, "../contract");
const built = join(client, "dist");
const target = join(built, "package");

/** Modules of the contract that are copied. */
const copied = new Map([
  ["@sallyport/contract/audit-types", "administration/audit-types"],
  ["@sallyport/contract/header-names", "header-names"],
  ["@sallyport/contract/secure", "secure"],
]);
/** The file with the types that are written out. */
const typesPlace = "contract/types";
/** The file of the package that a specifier names, without its extension. */
const placesOf = new Map([
  ["@sallyport/contract", typesPlace],
  ["@sallyport/storage/errors", typesPlace],
  ...Array.from(copied, ([name, file]) => [name, `contract/${file}`]),
]);
/** Modules whose types are written out, all or one of them. */
const sources = [
  [/\/contract\/src\/index\.ts$/],
  [/\/storage\/src\/errors\/index\.ts$/],
  [/\/zod\/v4\/core\/util\.d\.c?ts$/, "JSONType"],
];
const specifier = /(?<=\bfrom ")@sallyport\/[\w/-]+(?=")/g;
const importedTypes = /(?:import|export) type \{([^}]*)\} from "@sallyport\/(?:contract|storage\/errors)"/g;

const isPublished = (path) => /\.(?:js|js\.map|d\.ts)$/.test(path) && !path.startsWith("package/");
const read = (path) => readFileSync(path, "utf8");

function write(path, text) {
  const file = join(target, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The text with the paths of the copies. */
function withOwnImports(path, text) {
  return text.replaceAll(specifier, (name) => {
    const place = placesOf.get(name);
    if (place === undefined || (place === typesPlace && path.endsWith(".js")))
      throw new Error(`${path} imports ${name}, which is not part of the package.`);
    const way = relative(dirname(path), place);
    return `${way.startsWith(".") ? way : `./${way}`}.js`;
  });
}

/** The declarations of types by name, with those that they refer to. */
function declarationsOf(names) {
  // From typescript/dist/enums/nodeBuilderFlags.enum.d.ts.
  const flags = {
    NoTruncation: 1,
    MultilineObjectLiterals: 1_024,
    UseAliasDefinedOutsideCurrentScope: 16_384,
    InTypeAlias: 8_388_608,
  };
  const style = Object.values(flags).reduce((all, flag) => all | flag);
  const aliasFlag = 2_097_152;
  const api = new API({ cwd: client });
  try {
    const [project] = api.updateSnapshot({ openProjects: [join(client, "tsconfig.json")] }).getProjects();
    const { checker, program } = project;
    const symbols = new Map();
    for (const [source, only] of sources) {
      const path = program.getSourceFileNames().find((name) => source.test(name));
      const module = checker.getSymbolAtLocation(program.getSourceFile(path));
      for (const symbol of checker.getExportsOfModule(module).filter(({ name }) => only === undefined || name === only))
        symbols.set(symbol.name, symbol.flags & aliasFlag ? checker.getAliasedSymbol(symbol) : symbol);
    }
    const declared = new Map();
    for (const wanted = [...names]; wanted.length > 0; ) {
      const name = wanted.pop();
      if (declared.has(name)) continue;
      const symbol = symbols.get(name);
      if (symbol === undefined) throw new Error(`The contract exports no ${name}.`);
      const type = checker.typeToString(checker.getDeclaredTypeOfSymbol(symbol), undefined, style);
      declared.set(name, type);
      wanted.push(
        ...Array.from(type.matchAll(/(?<!["\w])[A-Z]\w*(?!["\w?:])/g), ([word]) => word).filter((word) =>
          symbols.has(word),
        ),
      );
    }
    return [...declared].toSorted(([one], [other]) => (one < other ? -1 : 1));
  } finally {
    api.close();
  }
}

const manifestFile = join(client, "package.json");
const builds = [built, join(built, "terminal"), join(contract, "dist")].map((folder) => join(folder, ".tsbuildinfo"));
const result = join(target, "package.json");
const timeOf = (path) => statSync(path).mtimeMs;
const newest = Math.max(...[...builds, manifestFile, join(client, "README.md"), import.meta.filename].map(timeOf));
if (existsSync(result) && timeOf(result) > newest) process.exit();

rmSync(target, { recursive: true, force: true });
const types = new Set();
for (const path of readdirSync(built, { recursive: true }).filter(isPublished)) {
  const text = read(join(built, path));
  if (path.endsWith(".d.ts"))
    for (const [, list] of text.matchAll(importedTypes))
      for (const each of list.split(",")) if (each.trim() !== "") types.add(each.trim().split(" ")[0]);
  write(
    join("dist", path),
    path.endsWith(".map") ? text : withOwnImports(path, text).replace(/\n\/\/# sourceMappingURL=.*\.d\.ts\.map$/, "\n"),
  );
}
for (const name of copied.values())
  for (const extension of ["js", "js.map", "d.ts"])
    write(`dist/contract/${name}.${extension}`, read(join(contract, "dist", `${name}.${extension}`)));
write(
  `dist/${typesPlace}.d.ts`,
  declarationsOf(types)
    .map(([name, type]) => `export type ${name} = ${type};\n`)
    .join(""),
);

for (const name of ["LICENSE", "README.md"]) cpSync(join(client, name), join(target, name));
const manifest = { ...JSON.parse(read(manifestFile)), devDependencies: undefined, publishConfig: { access: "public" } };
write("package.json", `${JSON.stringify(manifest, null, 2)}\n`);
