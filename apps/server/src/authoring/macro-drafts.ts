/** Lines that end in `// ts` are of TypeScript only. */
const macroDraft = `import { defineMacro } from "@sallyport/macros";

interface Input { // ts
  readonly className: string; // ts
} // ts
 // ts
/** What it is good for, in a line. */
export default defineMacro<Input>({
  // Who may execute it: "everyone", or some { groups: ["Sales"], apps: ["office"] }. Without this line administrators alone.
  access: "everyone",
  // What callers send, as JSON Schema. Anything else is refused with 307.
  input: {
    type: "object",
    properties: { className: { type: "string" } },
    required: ["className"],
    additionalProperties: false,
  },
  // Everything it does happens, or nothing does. What it gives is the data of the answer.
  async run({ input, caller, objects, log }) {
    const page = await objects.find(input.className, { perPage: 1 });
    log("counted for", caller.name);
    return { className: input.className, count: page["~Count"] };
  },
});
`;

/** Of the draft, on the demo. */
const macroTests = `[
  {
    "title": "counts the objects of a class",
    "as": "demo",
    "input": { "className": "Customer" },
    "expect": { "data": { "className": "Customer", "count": 200 } }
  },
  {
    "title": "knows no class of that name",
    "as": "demo",
    "input": { "className": "Nothing" },
    "expect": { "code": 304 }
  },
  {
    "title": "refuses what it did not ask for",
    "as": "demo",
    "input": 5,
    "expect": { "code": 307 }
  }
]
`;

const begin = 'import { defineHook } from "@sallyport/macros";\n';
const beginRefusing = 'import { defineHook, refuse } from "@sallyport/macros";\n';

/** By event. `CLASSES` becomes the classes. */
const hookDrafts: ReadonlyMap<string, string> = new Map([
  [
    "xRestApi_BuildSerialization",
    `${begin}
/** Adds to what clients get of each object. */
export default defineHook({
  on: "xRestApi_BuildSerialization",
  classes: CLASSES,
  // obj is the object with all that the caller may see, objectJson what is answered of it.
  run(obj, objectJson) {
    objectJson.Attributes = Object.keys(obj).filter((name) => !name.startsWith("~")).length;
  },
});
`,
  ],
  [
    "xRestApi_FindObjects",
    `${begin}
/** Clients name it in a query: {"macro": "…"}. With byDefault it narrows every list of its classes. */
export default defineHook({
  on: "xRestApi_FindObjects",
  classes: CLASSES,
  byDefault: false,
  // Anything but true refuses the list with 307.
  run(objectSet) {
    objectSet.narrow({ "~ObjectID": { $ne: null } });
    objectSet.order(["-~StoreTime"]);
    return true;
  },
});
`,
  ],
  [
    "xRestApi_DBCreateInit_xRestApiUserProvider",
    `${begin}
/** Decides about a user who comes from an identity provider for the first time. */
export default defineHook({
  on: "xRestApi_DBCreateInit_xRestApiUserProvider",
  // 0 accepts the user; a positive number says that this hook has assigned one; a negative number refuses with 324.
  run(userObject, providerConfig, userUuid, name, surname, email) {
    return typeof email === "string" && email.endsWith("@example.com") ? 0 : -1;
  },
});
`,
  ],
  [
    "xRestApi_Authenticate",
    `${begin}
/** Decides who custom users are, in the place of their accounts. Only a file named xRestApi_Authenticate does. */
export default defineHook({
  on: "xRestApi_Authenticate",
  // null refuses; a user says as whom they work: { userId, name?, email? }. pass is mostly the MD5 of the password.
  async run(user, pass, appNames, { objects }) {
    const { "~Elements": [found] } = await objects.find("User", { where: { Name: user, Description: pass }, perPage: 1 });
    return found === undefined ? null : { userId: found["~ObjectID"] };
  },
});
`,
  ],
  [
    "beforeSave",
    `${beginRefusing}
/** Sees every object before it is written, may change it, or keep it from being written. */
export default defineHook({
  on: "beforeSave",
  classes: CLASSES,
  // previous is the object as it was, null for a new one; given is what the client sent.
  run({ object, previous, given }) {
    for (const name of Object.keys(given)) {
      if (typeof object[name] === "string") object[name] = object[name].trim();
    }
    if (previous === null && Object.keys(given).length === 0) refuse(307, "An object without a single attribute is no use.");
  },
});
`,
  ],
  [
    "afterSave",
    `${begin}
/** Sees every object after it was written, in the same transaction: what fails here undoes the write. */
export default defineHook({
  on: "afterSave",
  classes: CLASSES,
  run({ object, previous }, { caller, log }) {
    log(previous === null ? "created" : "changed", object["~ObjectID"], "by", caller.name);
  },
});
`,
  ],
  [
    "beforeDelete",
    `${beginRefusing}
/** Sees every object before it is deleted, and may keep it. */
export default defineHook({
  on: "beforeDelete",
  classes: CLASSES,
  run({ object }, { caller }) {
    if (!caller.administrator && object.Locked === true) refuse(718, "It is marked as not to be deleted.");
  },
});
`,
  ],
  [
    "afterDelete",
    `${begin}
/** Sees every object after it was deleted, in the same transaction. */
export default defineHook({
  on: "afterDelete",
  classes: CLASSES,
  run({ object }, { caller, log }) {
    log("deleted", object["~ObjectID"], "by", caller.name);
  },
});
`,
  ],
]);

interface DraftRequest {
  readonly name: string;
  /** The event of a hook; `null` for a macro. */
  readonly hook: string | null;
  readonly classes: readonly string[];
  readonly language: "js" | "ts";
}

interface DraftFile {
  readonly file: string;
  readonly text: string;
}

/** Events that there is a draft of a hook for. */
export const draftedHooks: readonly string[] = [...hookDrafts.keys()];

/** The files that a new macro or hook begins with. They work as they are. */
export function draftOf({ name, hook, classes, language }: DraftRequest): DraftFile[] {
  const file = `${name}.${language}`;
  if (hook === null) {
    return [
      { file, text: inLanguage(macroDraft, language) },
      { file: `${name}.test.json`, text: macroTests },
    ];
  }
  const text = hookDrafts.get(hook) ?? "";
  const listed = classes.map((each) => JSON.stringify(each.trim())).join(", ");
  return [
    {
      file,
      text: inLanguage(
        text.replace("CLASSES", () => `[${listed}]`),
        language,
      ),
    },
  ];
}

/** Lines that end in `// ts` are left out of JavaScript; drafts have no other types. */
function inLanguage(text: string, language: "js" | "ts"): string {
  const typed = /^(.*) \/\/ ts$/;
  const lines = text.split("\n").flatMap((line) => {
    const type = typed.exec(line)?.[1];
    if (type === undefined) return [line];
    return language === "ts" ? [type] : [];
  });
  return language === "ts" ? lines.join("\n") : lines.join("\n").replace(/(defineMacro)<\w+>/, "$1");
}
