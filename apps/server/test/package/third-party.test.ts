import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const root = resolve(import.meta.dirname, "../../../..");
const built = join(root, "apps/server/dist/package");
const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8"));
const { packages: lock } = readJson(root, "package-lock.json") as {
  packages: Record<string, Locked>;
};

interface Locked {
  readonly version?: string;
  readonly link?: true;
  readonly resolved?: string;
  readonly hasInstallScript?: true;
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly [{ license?: { id: string }; expression?: string }];
}

describe("packages of others in the published server", () => {
  const notices = readFileSync(join(built, "THIRD-PARTY-NOTICES"), "utf8");
  const noticed = new Set(
    Array.from(notices.matchAll(/^(\S+) (\d\S*), licence: \S/gm), ([, name, version]) => `${name}@${version}`),
  );
  const bill = readJson(built, "sbom.cdx.json");
  const components = bill.components as readonly Component[];
  const { dependencies } = readJson(built, "package.json") as { dependencies: Record<string, string> };

  test("each one in a source map of the bundle has a notice", () => {
    const maps = readdirSync(join(built, "dist")).filter((name) => name.endsWith(".map"));
    const folders = maps
      .flatMap((name) => readJson(built, "dist", name).sources as string[])
      .flatMap((source) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(source)?.[0] ?? []);
    const bundled = new Set(
      folders.map((folder) => {
        const { name, version } = readJson(root, folder, "package.json");
        return `${name}@${version}`;
      }),
    );
    expect(bundled.size).toBeGreaterThan(100);
    expect([...bundled].filter((each) => !noticed.has(each))).toEqual([]);
  });

  test("each one of which files are copied has a notice, with the notices of its own parts", () => {
    for (const name of ["swagger-ui-dist", "@zxcvbn-ts/language-common", "@electric-sql/pglite"])
      expect(noticed).toContain(`${name}@${lock[`node_modules/${name}`]?.version}`);
    const parts = readFileSync(
      join(root, "node_modules/swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt"),
      "utf8",
    ).trim();
    expect(notices).toContain(parts);
    expect(notices).toContain("UNICODE LICENSE V3");
  });

  test("the bill of materials lists these and the dependencies, in order, with licences, and without a time", () => {
    const listed = components.map(({ name, version }) => `${name}@${version}`);
    const expected = new Set([
      ...noticed,
      ...Object.entries(dependencies).map(([name, version]) => `${name}@${version}`),
    ]);
    expect(listed).toEqual([...expected].toSorted());
    expect(bill).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 });
    expect(bill).not.toHaveProperty("serialNumber");
    expect(bill.metadata).not.toHaveProperty("timestamp");
    for (const { name, version, purl, licenses } of components) {
      expect(purl).toBe(`pkg:npm/${name.replace("@", "%40")}@${version}`);
      expect(licenses[0].license?.id ?? licenses[0].expression).toMatch(
        /^\(?(?:0BSD|Apache-2\.0|BSD-3-Clause|ISC|MIT)/,
      );
    }
  });

  describe("a package of the bundle", () => {
    const folder = mkdtempSync(join(tmpdir(), "sallyport-third-party-"));
    afterAll(() => rmSync(folder, { recursive: true }));
    const write = (name: string, manifest: object, files: Readonly<Record<string, string>>) => {
      const place = join(folder, "node_modules", name);
      mkdirSync(place, { recursive: true });
      for (const [file, text] of Object.entries({ ...files, "package.json": JSON.stringify({ name, ...manifest }) }))
        writeFileSync(join(place, file), text);
      return `node_modules/${name}`;
    };
    const tools = import(pathToFileURL(join(root, "apps/server/third-party.mjs")).href);
    const noticesOf = async (...folders: string[]): Promise<string> => {
      const { noticesOf: write, readParts } = await tools;
      return write(readParts(folder, folders), []);
    };
    const text = "Permission is hereby granted, free of charge";

    test.each<[string, object, Record<string, string>, string]>([
      ["without a text", { license: "MIT" }, { "README.md": "# One\n\n## License\n\nMIT\n" }, "ships no text"],
      ["without a licence", {}, { LICENSE: text }, "names no licence"],
    ])("%s ends the build", async (name, manifest, files, fault) => {
      const place = write(name.replaceAll(" ", "-"), { version: "1.0.0", ...manifest }, files);
      await expect(noticesOf(place)).rejects.toThrow(fault);
    });

    test.each<[string, object, Record<string, string>]>([
      ["a file", { license: "MIT" }, { "license.md": text }],
      ["a British file", { license: "MIT" }, { "LICENCE.txt": text }],
      ["a section of its Readme", { license: "MIT" }, { "Readme.md": `# One\n\n## License \n\n${text}\n\n## Other\n` }],
      ["the former field", { licenses: [{ type: "MIT", url: "x" }] }, { LICENSE: text }],
    ])("may have its licence in %s", async (name, manifest, files) => {
      const place = write(name.replaceAll(" ", "-"), { version: "1.0.0", ...manifest }, files);
      const notice = await noticesOf(place);
      expect(notice).toContain(" 1.0.0, licence: MIT\n");
      expect(notice).toContain(text);
      expect(notice).not.toContain("## Other");
    });
  });
});

test("nothing that npm installs with a published package has an install script", () => {
  const seen = new Map<string, Locked>();
  const visit = (name: string, from: string): void => {
    const places = from
      .split("/node_modules/")
      .map((_, index, all) => all.slice(0, all.length - index).join("/node_modules/"));
    const place = [...places.map((each) => `${each}/node_modules/${name}`), `node_modules/${name}`].find(
      (each) => each in lock,
    );
    if (place === undefined || seen.has(place)) return;
    const locked = lock[place]?.link ? lock[String(lock[place].resolved)] : lock[place];
    seen.set(place, locked ?? {});
    // The server is published as its bundle.
    const own = name === "@sallyport/server" ? readJson(built, "package.json") : locked;
    for (const each of Object.keys({ ...own.dependencies, ...own.optionalDependencies })) visit(each, place);
  };
  const folders = ["packages", "apps"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => `${group}/${name}`),
  );
  const published = folders
    .map((folder) => readJson(root, folder, "package.json") as { name: string; private?: true })
    .filter((each) => !each.private || each.name === "@sallyport/server");
  for (const { name } of published) visit(name, "");
  expect(seen.size).toBeGreaterThan(50);
  expect([...seen].filter(([, { hasInstallScript }]) => hasInstallScript).map(([place]) => place)).toEqual([]);
});
