import { type DatabaseContent, ref } from "@sallyport/testing";

/** A small database: tickets that users own. */
export const tickets: DatabaseContent = {
  classes: [
    {
      name: "Ticket",
      attributes: [
        { name: "Title", type: "string", mandatory: true },
        { name: "Owner", type: "reference", target: "User" },
        { name: "Next", type: "reference", target: "Ticket" },
        { name: "Watchers", type: "collection", target: "User" },
      ],
      rights: [{ group: "staff", permissions: ["read", "create", "write", "delete"] }],
    },
    {
      name: "Note",
      attributes: [
        { name: "Text", type: "string" },
        { name: "Attached", type: "file" },
      ],
    },
  ],
  users: [
    { name: "ada", password: "correct horse", groups: ["staff"], email: "ada@example.com" },
    { name: "bob" },
    { name: "hex", password: "00112233445566778899aabbccddeeff" },
    { name: "digest", passwordDigest: "5ebe2294ecd0e0f08eab7690d2a6ee69" },
    { name: "root", administrator: true },
  ],
  objects: [
    { name: "first", className: "Ticket", attributes: { Title: "First", Owner: ref("ada"), Next: ref("second") } },
    {
      name: "second",
      className: "Ticket",
      attributes: { Title: "Second", Next: ref("first"), Watchers: [ref("bob")] },
    },
  ],
  customUsers: [{ name: "partner", user: "ada" }],
  macros: {
    WhoAmI:
      'import { defineMacro } from "@sallyport/macros";\nexport default defineMacro({ access: "everyone", run: ({ caller }) => caller.name });',
  },
};
