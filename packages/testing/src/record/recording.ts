import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import type { AnsweredRequest } from "../service/answered-request.ts";
import type { DatabaseContent } from "../service/database-content.ts";
import { scenarioLines, type ScenarioParts } from "./scenario.ts";

export interface RecordOptions {
  /** Folder of the suite. Default: `recorded`. */
  readonly folder?: string;
  /** Whether an existing suite is replaced. Default: false. */
  readonly overwrite?: boolean;
}

/** Records the requests to a service. */
export interface Recording {
  /** Writes the suite and returns its path. */
  stop(): Promise<string>;
}

/** The service that is recorded. */
interface Recorded extends Pick<ScenarioParts, "nameOf"> {
  readonly databases: ReadonlyMap<string, DatabaseContent | "demo">;
  readonly onAnswered: (listener: (request: AnsweredRequest) => void) => () => void;
  /** Calls a function before each reset, and before the close. */
  readonly onReset: (listener: () => void) => void;
}

/** Throws a `TypeError` for an invalid name, and an `Error` if the suite exists. */
export function startRecording(
  name: string,
  { folder = "recorded", overwrite = false }: RecordOptions,
  { databases, nameOf, onAnswered, onReset }: Recorded,
): Recording {
  if (!/^[A-Za-z0-9][\w-]*$/.test(name))
    throw new TypeError(`"${name}" is not a name of a recording: use letters, digits, \`_\` and \`-\`.`);
  const file = resolve(folder, `${name}.test.js`);
  if (!overwrite && existsSync(file))
    throw new Error(`${relative("", file)} exists. Remove it, or record with \`overwrite: true\`.`);
  const scenarios: string[][] = [];
  let requests: AnsweredRequest[] = [];
  const endScenario = (): void => {
    const lines = scenarioLines({ requests, nameOf });
    if (lines.length > 0) scenarios.push(lines);
    requests = [];
  };
  const end = onAnswered((request) => requests.push(request));
  // The names of the content are gone after the close.
  onReset(endScenario);
  return {
    stop: async () => {
      end();
      endScenario();
      await mkdir(resolve(folder), { recursive: true });
      const contents = Object.fromEntries(
        Array.from(databases, ([alias, content]) => [alias, withoutSecrets(content)]),
      );
      await writeFile(join(resolve(folder), `${name}.databases.json`), `${JSON.stringify(contents, null, 2)}\n`);
      await writeFile(file, suiteText(name, scenarios));
      return file;
    },
  };
}

/** A content whose users have their names as passwords, with app keys of tests. */
function withoutSecrets(content: DatabaseContent | "demo"): DatabaseContent | "demo" {
  if (content === "demo") return content;
  const plain = <T extends object>(all: readonly T[]) =>
    all.map(
      (each) =>
        Object.fromEntries(Object.entries(each).filter(([name]) => !name.startsWith("password"))) as unknown as T,
    );
  const { users = [], customUsers = [], appKeys = [], ...rest } = content;
  const keys = appKeys.map((each, index) => ({
    ...each,
    key: index === 0 ? "test-app-key" : `test-app-key-${index + 1}`,
  }));
  return { ...rest, users: plain(users), customUsers: plain(customUsers), appKeys: keys };
}

interface Globals {
  readonly describe?: unknown;
}

function suiteText(name: string, scenarios: readonly (readonly string[])[]): string {
  const hasGlobals = (globalThis as Globals).describe !== undefined;
  const [before, after] = hasGlobals ? ["beforeAll", "afterAll"] : ["before", "after"];
  const code = scenarios.flat().join("\n");
  const tests = scenarios.map((lines, index) => {
    const title = scenarios.length === 1 ? "goes as recorded" : `goes as recorded, part ${index + 1}`;
    const body = lines.map((line) => `    ${line.replaceAll("\n", "\n    ")}`);
    return [`  test(${JSON.stringify(title)}, async () => {`, ...body, "  });"].join("\n");
  });
  const header = [
    `// Recorded by \`service.record("${name}")\`. With SALLYPORT_TEST_SERVER=<file>, it tests the server of these options.`,
    ...(code.includes("assert.") ? ['import assert from "node:assert/strict";'] : []),
    'import { readFileSync } from "node:fs";',
    ...(hasGlobals ? [] : ['import { after, before, beforeEach, test } from "node:test";']),
    'import { describeEachMode, openTestService } from "@sallyport/testing";',
    ...(code.includes("assertError(") ? ['import { assertError } from "@sallyport/testing/assert";'] : []),
  ];
  return `${header.join("\n")}

const databases = JSON.parse(readFileSync(new URL("${name}.databases.json", import.meta.url), "utf8"));
let service;

${before}(async () => {
  service = await openTestService({ databases });
});
beforeEach(() => (service.isConnected ? undefined : service.reset()));
${after}(() => service.close());

describeEachMode("${name}", (agentOf) => {
${tests.join("\n\n")}
});
`;
}
