/**
 * Names the packages of other authors that the server package contains: in `THIRD-PARTY-NOTICES`, with the text of each licence, and in
 * `sbom.cdx.json`, a CycloneDX bill of materials. Both depend on the content of the bundles only, so equal sources make equal files.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Packages that ship no licence text of their own, one that names no licence, and one with parts of others. `text` is relative to
 * the root, `parts` a folder of the package with the licences of its parts.
 */
const exceptions = {
  // All packages of their repository have one licence file; these archives lack it.
  "@aws-sdk/credential-provider-http": { text: "node_modules/@aws-sdk/client-s3/LICENSE" },
  "@aws-sdk/credential-provider-login": { text: "node_modules/@aws-sdk/client-s3/LICENSE" },
  "@aws-sdk/nested-clients": { text: "node_modules/@aws-sdk/client-s3/LICENSE" },
  // Its Readme names the licence only. The package that it is a part of has the text, of the same author.
  "react-remove-scroll-bar": { text: "node_modules/react-remove-scroll/LICENSE" },
  // It states "MIT" and its author only.
  "passport-apple": { text: "apps/server/licences/passport-apple.txt" },
  // Its Readme has the text. Its package.json is older than the field.
  pause: { license: "MIT" },
  // Its worker contains the interfaces of decoders.
  "pdfjs-dist": { parts: "wasm" },
};

const LICENCE_FILE = /^(?:licen[cs]e|copying)(?:[.-].*)?$/i;
const PART_LICENCE = /^LICENSE_/;
const NOTICE_FILE = /^notice(?:\..*)?$|\.LICENSE\.txt$/i;
const line = "-".repeat(80);

/**
 * @typedef {object} Part A package of other authors.
 * @property {string} name
 * @property {string} version
 * @property {string} license an SPDX expression
 * @property {string | null} text the licence and all notices
 */

/** The folders of the packages whose code is in the output of the bundler, relative to the root. */
export function foldersIn(metafiles) {
  const inputs = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.entries(output.inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return [...new Set(inputs.flatMap(([path]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []))];
}

/**
 * Reads the packages in these folders, in the order of their names.
 *
 * @param {string} root
 * @param {readonly string[]} folders relative to the root
 * @returns {Part[]}
 * @throws if a package names no licence
 */
export function readParts(root, folders) {
  const parts = folders.map((folder) => readPart(root, folder));
  refuse(parts, "license", "names no licence");
  const byName = new Map(parts.map((part) => [`${part.name}@${part.version}`, part]));
  return [...byName.keys()].toSorted().map((key) => byName.get(key));
}

/** @throws if a package lacks a field */
function refuse(parts, field, fault) {
  const names = parts.filter((part) => part[field] === null).map(({ name }) => `${name} ${fault}.`);
  if (names.length > 0)
    throw new Error(`${names.join("\n")}\nLeave it out, or give it a reason in apps/server/third-party.mjs.`);
}

function readPart(root, folder) {
  const place = join(root, folder);
  const read = (name) => readFileSync(join(place, name), "utf8").replaceAll("\r\n", "\n").trim();
  const { name, version, license, licenses } = JSON.parse(read("package.json"));
  const exception = exceptions[name] ?? {};
  const files = readdirSync(place).toSorted();
  const texts = files.filter((each) => LICENCE_FILE.test(each)).map(read);
  if (texts.length === 0)
    texts.push(...files.filter((each) => /^readme/i.test(each)).flatMap((each) => section(read(each))));
  if (texts.length === 0 && exception.text !== undefined)
    texts.push(readFileSync(join(root, exception.text), "utf8").trim());
  const notices = files.filter((each) => NOTICE_FILE.test(each)).map(read);
  if (exception.parts !== undefined) {
    const parts = readdirSync(join(place, exception.parts)).toSorted();
    notices.push(...parts.filter((each) => PART_LICENCE.test(each)).map((each) => read(join(exception.parts, each))));
  }
  return {
    name,
    version,
    license: exception.license ?? spdx(license ?? licenses),
    text: texts.length === 0 ? null : [...texts, ...notices].join("\n\n"),
  };
}

/** The licence of a Readme, if it is more than its name. */
function section(readme) {
  const [, text] = /^#+ *licen[cs]e\W*?\n([^]*?)(?=\n#+ |$(?![^]))/im.exec(readme) ?? [];
  return text?.includes("Permission is hereby granted") ? [text.trim()] : [];
}

/** The licence as an SPDX expression. Old packages list objects. */
function spdx(stated) {
  if (stated === undefined) return null;
  if (Array.isArray(stated)) return stated.map(({ type }) => type).join(" OR ");
  return typeof stated === "string" ? stated : stated.type;
}

/**
 * The text of `THIRD-PARTY-NOTICES`. Packages with equal texts share one.
 *
 * @param {readonly Part[]} parts
 * @param {readonly string[]} others notices of data in our own packages
 * @throws if a package ships no licence text
 */
export function noticesOf(parts, others) {
  refuse(parts, "text", "ships no text of its licence");
  const owners = new Map();
  for (const part of parts) owners.set(part.text, [...(owners.get(part.text) ?? []), part]);
  const entries = Array.from(owners, ([text, each]) => {
    const titles = each.map(({ name, version, license }) => `${name} ${version}, licence: ${license}`);
    return [line, ...titles, line, "", text, ""].join("\n");
  });
  const data = others.map((text) => text.slice(text.indexOf(line)));
  return ["This package contains third-party software under the licences below.\n", ...entries, ...data].join("\n");
}

/**
 * The bill of materials, without a serial number and a time.
 *
 * @param {{name: string, version: string, license: string}} product
 * @param {readonly Part[]} parts what the package contains, and what npm installs beside it
 */
export function billOfMaterials(product, parts) {
  const component = (type, { name, version, license }) => {
    const reference = `pkg:npm/${name.replace("@", "%40")}@${version}`;
    const licence = license.includes(" ") ? { expression: license } : { license: { id: license } };
    return { type, "bom-ref": reference, name, version, licenses: [licence], purl: reference };
  };
  const root = component("application", product);
  const components = parts.map((part) => component("library", part));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: root },
    components,
    dependencies: [{ ref: root["bom-ref"], dependsOn: components.map((each) => each["bom-ref"]) }],
  };
}

/** The notices of data that our own packages contain. */
export function ownNotices(root, packages) {
  return packages
    .map((each) => join(root, each, "THIRD-PARTY-NOTICES"))
    .filter(existsSync)
    .map((path) => readFileSync(path, "utf8"));
}
