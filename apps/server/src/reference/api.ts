import type { Operation as Declared } from "@sallyport/contract";
import type { OpenApiDocument } from "@sallyport/http";
import { costNote, costText } from "./costs.ts";
import { codeSpan, generatedNote, markdownTable } from "./markdown.ts";

/** The parts of a JSON schema that the reference shows. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly default?: unknown;
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  /** The schema of the text inside a string. */
  readonly contentSchema?: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema; readonly examples?: object }>>;
}

interface Parameter extends Content {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Operation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Content>>;
}

/** Operations by method, and members about all of them. */
type PathItem = Readonly<Record<string, Operation | readonly unknown[]>>;

interface Description {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A link to a route in `api.md`. `up` is the path to the folder of the reference. */
export function routeLink({ method, path, administration }: Declared, up: string): string {
  const page = administration ? "administration-api.md" : "api.md";
  return `[${codeSpan(titleOf(method, path))}](${up}${page}#${anchorOf(titleOf(method, path))})`;
}

function titleOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${path}`;
}

/** The anchor that GitHub and the documentation site give a heading. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

/** A page of routes: its title, and the file of the API description. */
interface ApiPage {
  readonly title: string;
  readonly description: string;
}

const usualPage: ApiPage = { title: "API", description: "openapi.json" };

/** `api.md`, or another page: every route with its parameters, body, response and error codes. */
export function apiReference(document: OpenApiDocument, page = usualPage): string {
  // The document is JSON with a type for its writer. The reference reads it as JSON.
  const { tags, paths, components } = JSON.parse(JSON.stringify(document)) as Description;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      "responses" in operation ? { title: titleOf(method, path), ofDatabase: !("servers" in item), operation } : [],
    ),
  );
  const common = commonCodes(operations.filter(({ ofDatabase }) => ofDatabase).map(({ operation }) => operation));
  const sections = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    const texts = own.map(({ title, operation }) => operationText(title, operation, { components, common }));
    return [`## ${name}`, description, ...texts].join("\n\n");
  });
  return `# ${page.title}

<!-- ${generatedNote} -->

Paths are relative to the address of the database. Every response is an envelope with \`status\` and, on success, \`data\`. The
[API description](${page.description}) in OpenAPI 3.1 has the schemas in full.

Error codes that many routes return are listed here only:

- Every route of a database: ${sentenceOf(common.all)}.
- Routes that need an app key: ${sentenceOf(common.appKey)}.
- Routes that need a session: ${sentenceOf(common.session)}.
${operations.some(({ title }) => costText(title) !== undefined) ? `\n${costNote}\n` : ""}
${sections.join("\n\n")}

## Schemas

${Object.entries(components.schemas)
  .map(([name, schema]) => `### ${codeSpan(name)}\n\n${described("Type", schema, components)}`)
  .join("\n\n")}
`;
}

/** Codes that all routes with the same credentials return. */
interface CommonCodes {
  readonly all: readonly string[];
  readonly appKey: readonly string[];
  readonly session: readonly string[];
}

function commonCodes(operations: readonly Operation[]): CommonCodes {
  const shared = (those: readonly Operation[]) => {
    const [first = [], ...others] = those.map(codesOf);
    return first.filter((code) => others.every((codes) => codes.includes(code)));
  };
  const all = shared(operations);
  const appKey = shared(operations.filter((each) => credentialsOf(each) !== "none" && !isOptional(each)));
  const session = shared(operations.filter((each) => takesSession(each) && !isOptional(each)));
  return {
    all,
    appKey: appKey.filter((code) => !all.includes(code)),
    session: session.filter((code) => !appKey.includes(code)),
  };
}

/** The codes of an operation that are not listed for all routes with its credentials. */
function ownCodes(operation: Operation, { all, appKey, session }: CommonCodes): string[] {
  const needsKey = credentialsOf(operation) !== "none" && !isOptional(operation);
  const listed = [...all, ...(needsKey ? appKey : []), ...(needsKey && takesSession(operation) ? session : [])];
  return codesOf(operation).filter((code) => !listed.includes(code));
}

interface Shared {
  readonly components: Description["components"];
  readonly common: CommonCodes;
}

function operationText(title: string, operation: Operation, { components, common }: Shared): string {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const body = schemaOf(requestBody ?? {});
  const answer = schemaOf(Object.entries(responses).find(([status]) => status < "400")?.[1] ?? {});
  const codes = ownCodes(operation, common);
  const parts = [
    `### ${codeSpan(title)}`,
    summary,
    description,
    `**Credentials:** ${credentialsOf(operation)}.`,
    parameters.length > 0 ? parameterTable(parameters) : undefined,
    body && described("Body", body, components),
    answer && described("Response", answer.properties?.["data"] ?? answer, components),
    costText(title),
    codes.length > 0 ? `**Errors:** ${codes.map(codeLink).join(", ")}.` : undefined,
  ];
  return parts.filter((part) => part !== undefined).join("\n\n");
}

function codesOf({ responses }: Operation): string[] {
  return Object.values(responses)
    .flatMap(({ content = {} }) => Object.keys(content["application/json"]?.examples ?? {}))
    .filter((code) => /^\d+$/.test(code))
    .toSorted();
}

function codeLink(code: string): string {
  return `[${code}](errors/${code}.md)`;
}

function sentenceOf(codes: readonly string[]): string {
  const links = codes.map(codeLink);
  return links.length < 2 ? links.join("") : `${links.slice(0, -1).join(", ")} and ${links.at(-1)}`;
}

function takesSession({ security = [] }: Operation): boolean {
  return security.some((schemes) => "sessionId" in schemes);
}

/** Whether the operation works without credentials, too. */
function isOptional({ security = [] }: Operation): boolean {
  return security.some((schemes) => Object.keys(schemes).length === 0);
}

function credentialsOf(operation: Operation): string {
  if (takesSession(operation))
    return isOptional(operation) ? "none, or an app key and a session" : "an app key and a session";
  return (operation.security ?? []).length === 0 ? "none" : "an app key";
}

/** The JSON schema of a body or a response. */
function schemaOf({ content = {} }: Content): Schema | undefined {
  return (content["application/json"] ?? Object.values(content)[0])?.schema;
}

function parameterTable(parameters: readonly Parameter[]): string {
  return markdownTable(
    ["Parameter", "In", "Type", "Description"],
    parameters.map((parameter) => {
      const { name, in: place, required, description } = parameter;
      const schema = parameter.schema ?? schemaOf(parameter) ?? {};
      return [codeSpan(name), place, typeOf(schema), cell({ ...schema, description }, required === true)];
    }),
  );
}

/** The members of a schema as a table, or its type in one line. */
function described(title: string, schema: Schema, components: Description["components"]): string {
  const resolved = resolve(schema, components);
  const { properties, required = [], description, contentSchema, additionalProperties } = resolved;
  if (contentSchema !== undefined) {
    const inside = resolve(contentSchema, components);
    const data = described("Decrypted", inside.properties?.["data"] ?? inside, components);
    return `**${title}:** ${sentences(description)}\n\n${data}`;
  }
  const members = Object.entries(properties ?? {});
  if (members.length === 0) {
    const isEmpty = properties !== undefined && additionalProperties === false;
    return `**${title}:** ${sentences(isEmpty ? "an empty object" : typeOf(schema), description)}`;
  }
  const rows = members.map(([name, member]) => [
    codeSpan(name),
    typeOf(member),
    cell({ ...resolve(member, components), ...member }, required.includes(name)),
  ]);
  return `**${title}:**\n\n${markdownTable(["Member", "Type", "Description"], rows)}`;
}

/** Joins texts as sentences. */
function sentences(...texts: readonly (string | undefined)[]): string {
  return texts
    .filter((text) => text !== undefined && text !== "")
    .map((text) => String(text).replace(/[.:]?$/, "."))
    .join(" ");
}

function resolve(schema: Schema, { schemas }: Description["components"]): Schema {
  return schema.$ref === undefined ? schema : (schemas[nameOf(schema.$ref)] ?? {});
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

function cell({ description, default: preset }: Schema, required: boolean): string {
  const parts = [
    required ? "Required." : undefined,
    description?.replaceAll(/\s+/g, " "),
    preset === undefined ? undefined : `Default: ${codeSpan(JSON.stringify(preset))}.`,
  ];
  return parts.filter((part) => part !== undefined).join(" ");
}

function typeOf({ $ref, type, const: constant, enum: values, anyOf, oneOf, items }: Schema): string {
  if ($ref !== undefined) return `[${codeSpan(nameOf($ref))}](#${anchorOf(nameOf($ref))})`;
  if (constant !== undefined) return codeSpan(JSON.stringify(constant));
  if (values !== undefined) return values.map((value) => codeSpan(JSON.stringify(value))).join(", ");
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeOf))].join(" or ");
  if (type === "array") return items === undefined ? "array" : `array of ${typeOf(items)}`;
  return type === undefined ? "any" : [type].flat().join(" or ");
}
