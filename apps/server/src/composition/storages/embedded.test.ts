import { StartError } from "../start-error.ts";
import { directoryTrouble } from "./embedded.ts";

const refusal = (code: string) => Object.assign(new Error(`${code}: mkdir`), { code, syscall: "mkdir" });

test.each([
  ["EACCES", "this user may not write there"],
  ["EROFS", "its file system can only be read"],
  ["ENOSPC", "its file system is full"],
  ["EIO", "the operating system refuses it (EIO)"],
])("%s is told as: %s", (code, words) => {
  const cause = refusal(code);
  const trouble = directoryTrouble(cause, "/data");
  expect(trouble).toBeInstanceOf(StartError);
  expect(trouble).toMatchObject({
    message: `The data directory /data cannot be used: ${words}. Choose another one with DATA_DIR.`,
    cause,
  });
});

test("what the operating system did not say stays what it is", () => {
  const error = new Error("The data directory is in use.");
  expect(directoryTrouble(error, "/data")).toBe(error);
});
