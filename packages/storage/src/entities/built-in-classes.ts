import type { ClassDefinition } from "./class-definition.ts";

/** Class of users who logged in through a provider without own credentials. The specification defines the name. */
export const providerUserClass = "xRestApiUserProvider";

/** Class of objects that stand for stored files. */
export const fileClass = "File";

/** Class of images. They can have bytes, as files do, but no attributes describe them. */
export const imageClass = "Image";

/**
 * The classes of a new database. Without rights, only administrators see the objects; users see their own user object.
 * The service alone creates `File` objects and writes size and digest of them, as they follow from stored bytes. Deletion,
 * restoration and readers are those of any object.
 */
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
  { name: imageClass, base: null, attributes: [], rights: [] },
  {
    name: fileClass,
    base: null,
    attributes: [
      { name: "Name", type: "string", mandatory: true },
      { name: "Size", type: "number" },
      { name: "MediaType", type: "string" },
      { name: "Sha256", type: "string" },
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
