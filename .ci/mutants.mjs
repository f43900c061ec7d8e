/**
 * Mutation testing: changes one place of the code at a time, and tells whether the tests notice.
 *
 *     node .ci/mutants.mjs --seed 7 --count 40
 *
 * The seed draws the mutants from the list of all, the same number from each area. `--area <name>` draws from one, `--list` prints what would be
 * tried, `--json <file>` gets the outcomes, `--floor <n>` fails below so many killed. The environment is passed on, so `TEST_SCOPE=full` tries the full run.
 */
import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { parseSync } from "@swc/core";

const root = join(import.meta.dirname, "..");
const { values: options } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "40" },
    area: { type: "string" },
    list: { type: "boolean", default: false },
    json: { type: "string" },
    floor: { type: "string" },
  },
});

/** Where the code of each area is. Packages are tested as built, the server as written. */
const areas = {
  gate: [
    "packages/core/dist/access/gate",
    "packages/core/dist/access/sessions",
    "packages/http/dist/pipeline/admit.js",
  ],
  "secure mode": [
    "packages/core/dist/access/channels",
    "packages/http/dist/pipeline/secure-exchange.js",
    "packages/crypto/dist/channels",
  ],
  rights: [
    "packages/core/dist/model",
    "packages/core/dist/objects/object-readers.js",
    "packages/core/dist/objects/write-object.js",
  ],
  query: ["packages/core/dist/objects/query", "packages/storage-memory/dist/query", "packages/storage-knex/dist/query"],
  "record store": [
    "packages/storage-memory/dist/memory-record-repository.js",
    "packages/storage-knex/dist/knex-record-repository.js",
    "packages/storage-knex/dist/dialects/postgres/statements/record-statements.js",
  ],
  archive: [
    "apps/server/src/archive",
    "packages/storage-knex/dist/dialects/postgres/archive",
    "packages/core/dist/archive",
  ],
  macros: ["packages/core/dist/execution", "packages/macros/dist/pool", "packages/macros/dist/worker"],
  identity: ["packages/core/dist/identities", "packages/identity-passport/dist"],
  drain: ["apps/server/src/composition/start-server.ts", "packages/http/dist/connections"],
};

const swapped = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "&&": "||",
  "||": "&&",
};

/** Files below a place that hold code. */
function filesOf(place) {
  const path = join(root, place);
  if (!statSync(path, { throwIfNoEntry: false })) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true })
    .map((name) => join(path, name))
    .filter((name) => /(?<!\.d|\.test)\.(?:js|ts)$/.test(name));
}

/** Every change of one place of a file, as a range of bytes and what stands there then. */
function mutantsOf(path) {
  const text = readFileSync(path);
  const syntax = path.endsWith(".ts") ? "typescript" : "ecmascript";
  const found = [];
  const base = parseSync("", { syntax }).span.start;
  const at = ({ span }) => [span.start - base, span.end - base];
  const textOf = (node) => text.subarray(...at(node)).toString();
  const add = (start, end, replacement) => {
    const was = text.subarray(start, end).toString();
    found.push({ path, start, end, replacement, line: text.subarray(0, start).toString().split("\n").length, was });
  };
  const visit = (node) => {
    if (Array.isArray(node)) {
      for (const each of node) visit(each);
      return;
    }
    if (typeof node !== "object" || node === null) return;
    if (node.type === "BinaryExpression" && node.operator in swapped) {
      const [start, end] = [at(node.left)[1], at(node.right)[0]];
      const between = text.subarray(start, end).toString();
      if (between.trim() === node.operator) add(start, end, between.replace(node.operator, swapped[node.operator]));
    }
    if (node.type === "UnaryExpression" && node.operator === "!") add(...at(node), textOf(node.argument));
    if (node.type === "BooleanLiteral") add(...at(node), String(!node.value));
    if (node.type === "IfStatement") add(...at(node.test), "false");
    if (node.type === "ConditionalExpression") add(...at(node.test), `!(${textOf(node.test)})`);
    if (node.type === "ThrowStatement") add(...at(node), ";");
    if (node.type === "ExpressionStatement" && /^(?:Await|Call)Expression$/.test(node.expression.type))
      add(...at(node), ";");
    for (const [name, member] of Object.entries(node)) if (name !== "span") visit(member);
  };
  visit(parseSync(text.toString(), { syntax, target: "es2022" }).body);
  return found;
}

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function drawn() {
  const random = randomFrom(Number(options.seed));
  const names = options.area === undefined ? Object.keys(areas) : [options.area];
  const lists = new Map(names.map((name) => [name, areas[name].flatMap(filesOf).flatMap(mutantsOf)]));
  const chosen = [];
  for (let turn = 0; chosen.length < Number(options.count); turn += 1) {
    const area = names[turn % names.length];
    const list = lists.get(area);
    if (list.length === 0) throw new Error(`The area ${area} has no mutants (left).`);
    const [mutant] = list.splice(Math.floor(random() * list.length), 1);
    chosen.push({ area, ...mutant });
  }
  return chosen;
}

const told = ({ area, path, line, was, replacement }) =>
  `${area}: ${relative(root, path)}:${line}  ${was.split("\n")[0].slice(0, 60)}  ->  ${replacement.slice(0, 60)}`;

/** Whether a run of the tests fails; the tests near the mutant first. */
async function isNoticed(path) {
  const near = relative(root, path).split("/").slice(0, 2).join("/");
  const jest = ["--experimental-vm-modules", "--no-warnings", "node_modules/jest/bin/jest.js", "--bail", "--silent"];
  const child = spawn(process.execPath, jest, {
    cwd: root,
    stdio: "ignore",
    env: { ...process.env, TEST_FIRST: near },
  });
  // A run that does not end has noticed it, too.
  const late = setTimeout(() => child.kill("SIGKILL"), 40 * 60_000);
  const code = await new Promise((resolve) => {
    child.once("exit", resolve);
  });
  clearTimeout(late);
  return code !== 0;
}

const mutants = drawn();
if (options.list) {
  for (const each of mutants) console.log(told(each));
  process.exit();
}
const outcomes = [];
for (const mutant of mutants) {
  const { path, start, end, replacement } = mutant;
  const original = readFileSync(path);
  const restore = () => writeFileSync(path, original);
  process.once("exit", restore);
  process.once("SIGINT", () => process.exit(1));
  let killed;
  const began = performance.now();
  try {
    writeFileSync(path, Buffer.concat([original.subarray(0, start), Buffer.from(replacement), original.subarray(end)]));
    // Code that does not load fails at its first use.
    const bundled =
      spawnSync(process.execPath, ["apps/server/bundle.mjs"], { cwd: root, stdio: "ignore" }).status === 0;
    killed = !bundled || (await isNoticed(path));
  } finally {
    restore();
    process.removeListener("exit", restore);
  }
  outcomes.push({ ...mutant, path: relative(root, path), killed });
  console.log(
    `${killed ? "killed  " : "SURVIVED"} ${Math.round((performance.now() - began) / 1_000)} s  ${told(mutant)}`,
  );
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(outcomes, null, 2));
}
spawnSync("npm", ["run", "build"], { cwd: root, stdio: "ignore" });
const killed = outcomes.filter((each) => each.killed).length;
console.log(`${killed} of ${outcomes.length} mutants were noticed.`);
if (options.floor !== undefined && killed < Number(options.floor)) process.exitCode = 1;
