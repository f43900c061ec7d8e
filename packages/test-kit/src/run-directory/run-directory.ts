/** The directory of this test run, for files shared by test files. Throws if there is none. */
export function runDirectory(): string {
  const directory = process.env["SALLYPORT_TEST_RUN"];
  if (directory === undefined) throw new Error("The run has no directory: its configuration does not create one.");
  return directory;
}
