import { acceptFileName, mediaTypeOf } from "../../src/files/file-names.ts";
import { ServiceError } from "../../src/index.ts";

describe("names of files", () => {
  const anyName = { allowedExtensions: [], forbiddenExtensions: [] };

  function codeOf(name: string | null, rules = anyName as Parameters<typeof acceptFileName>[1]): unknown {
    try {
      return acceptFileName(name, rules);
    } catch (error) {
      return error instanceof ServiceError ? error.code : error;
    }
  }

  test.each([
    "a",
    "plan.pdf",
    "Grüße aus Zürich.txt",
    "年度報告.docx",
    ".profile",
    "a b",
    "archive.tar.gz",
    "console.log",
    "com10.txt",
    "Meeting 10:30.pdf",
    "a".repeat(255),
    "ü".repeat(127),
  ])("accepts the name %j", (name) => {
    expect(codeOf(name)).toBe(name);
  });

  test.each([
    ["no name", null],
    ["an empty name", ""],
    ["blanks", "  "],
    ["a folder", "a/b"],
    ["a folder of Windows", "a\\b"],
    ["the folder itself", "."],
    ["the parent folder", ".."],
    ["a trailing dot", "run.exe."],
    ["a trailing space", "run.exe "],
    ["NUL", "a\0.txt"],
    ["a line break", "a\r\nb"],
    ["DEL", "a\u007f"],
    ["a control character beyond ASCII", "a\u0085"],
    ["a mark that reverses text", "plan\u202efdp.exe"],
    ["an isolating mark", "a\u2066b"],
    ["half a character", "a\ud800"],
    ["256 bytes", "a".repeat(256)],
    ["256 bytes of longer characters", "ü".repeat(128)],
    ["a device", "CON"],
    ["a device in lower case", "nul"],
    ["a device with an extension", "com1.txt"],
    ["a device with several extensions", "Aux.tar.gz"],
    ["a device with a raised digit", "LPT¹.txt"],
    ["a device before a stream", "prn:a"],
  ])("refuses %s", (_what, name) => {
    expect(codeOf(name)).toBe(502);
  });

  const documents = { allowedExtensions: ["pdf", "exe"], forbiddenExtensions: ["exe"] };
  const anything = { allowedExtensions: [], forbiddenExtensions: ["exe", ""] };

  test.each([
    ["plan.pdf", documents, "plan.pdf"],
    ["PLAN.PDF", documents, "PLAN.PDF"],
    ["plan.exe.pdf", documents, "plan.exe.pdf"],
    ["plan.exe", documents, 502],
    ["plan.txt", documents, 502],
    ["plan", documents, 502],
    ["plan.txt", anything, "plan.txt"],
    ["plan.Exe", anything, 502],
    ["plan.exe:notes.txt", anything, 502],
    ["plan", anything, 502],
  ])("judges the extension of %s", (name, rules, expected) => {
    expect(codeOf(name, rules)).toBe(expected);
  });

  test.each([
    [null, null],
    ["", null],
    ["text/plain", "text/plain"],
    ["Text/HTML; charset=utf-8", "text/html"],
    ["application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text"],
    ["text", null],
    ["text/plain\r\nX-Header: a", null],
    [`text/${"a".repeat(200)}`, null],
  ])("keeps a media type only if it is one: %j", (given, expected) => {
    expect(mediaTypeOf(given)).toBe(expected);
  });
});
