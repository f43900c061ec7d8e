import type { ClassDefinition } from "../storage/index.ts";

/** The class of those who came in through a provider without credentials of their own; the name is that of the specification. */
export const providerUserClass = "xRestApiUserProvider";

/** The classes of every new database. Without rights administrators alone see them, and users their own record. */
export const builtInClasses: readonly ClassDefinition[] = [
  {
    name: "User",
    base: null,
    attributes: [
      { name: "Name", type: "string", mandatory: true },
      { name: "Description", type: "string" },
      { name: "Groups", type: "collection", target: "UserGroup" },
    ],
    rights: [],
  },
  {
    name: "UserGroup",
    base: null,
    attributes: [
      { name: "Name", type: "string", mandatory: true },
      { name: "Description", type: "string" },
    ],
    rights: [],
  },
  { name: "Image", base: null, attributes: [], rights: [] },
  {
    name: "File",
    base: null,
    attributes: [
      { name: "Name", type: "string", mandatory: true },
      { name: "Content", type: "file" },
    ],
    rights: [],
  },
  {
    name: providerUserClass,
    base: null,
    attributes: [
      { name: "Provider", type: "string", mandatory: true },
      { name: "Uuid", type: "string", mandatory: true },
      { name: "Name", type: "string" },
      { name: "Surname", type: "string" },
      { name: "Email", type: "string" },
      { name: "User", type: "reference", target: "User" },
    ],
    rights: [],
  },
];
