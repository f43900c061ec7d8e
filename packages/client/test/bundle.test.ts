import { fileURLToPath } from "node:url";
import { build, type BuildOptions } from "esbuild";

const entry = fileURLToPath(import.meta.resolve("@sallyport/client"));
const options = {
  bundle: true,
  platform: "browser",
  format: "esm",
  target: "es2022",
  minify: true,
  metafile: true,
  write: false,
} as const satisfies BuildOptions;

describe("the client in a browser", () => {
  test("needs nothing but its own files and those of the contract", async () => {
    const { metafile, warnings } = await build({ ...options, entryPoints: [entry] });
    expect(warnings).toEqual([]);
    const inputs = Object.keys(metafile.inputs);
    expect(inputs.filter((path) => !/(?:^|\/)packages\/(?:client|contract)\/dist\//.test(path))).toEqual([]);
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
    expect(imports.filter((each) => each.external === true || each.path.startsWith("node:"))).toEqual([]);
  });

  test("is small", async () => {
    const { outputFiles } = await build({ ...options, entryPoints: [entry] });
    expect(outputFiles[0]?.contents.length).toBeLessThan(26 * 1024);
  });

  test("leaves no trace in a program that takes its errors only", async () => {
    const contents = `import { SallyportError } from "@sallyport/client"; console.log(SallyportError.name);`;
    const stdin = { contents, resolveDir: fileURLToPath(new URL(".", import.meta.url)) };
    const { outputFiles } = await build({ ...options, stdin });
    expect(outputFiles[0]?.contents.length).toBeLessThan(1_024);
  });

  test("leaves identity to those who take it", async () => {
    const sizeOf = async (contents: string) => {
      const stdin = { contents, resolveDir: fileURLToPath(new URL(".", import.meta.url)) };
      return (await build({ ...options, stdin })).outputFiles[0]?.contents.length ?? 0;
    };
    const core = 'export { SallyportClient } from "@sallyport/client";';
    const [alone, withLinks, withAll] = [
      await sizeOf(core),
      await sizeOf(`${core} export { listLinks } from "@sallyport/client/identity";`),
      await sizeOf(`${core} export * from "@sallyport/client/identity";`),
    ];
    expect(withLinks - alone).toBeLessThan(256);
    expect(withAll - alone).toBeLessThan(5 * 1024);
  });

  test("works without a bundler when its imports are mapped: they are few", async () => {
    const { metafile } = await build({ ...options, entryPoints: [entry], packages: "external" });
    const bare = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
    expect([...new Set(bare)].toSorted()).toEqual(["@sallyport/contract/header-names", "@sallyport/contract/secure"]);
  });
});
