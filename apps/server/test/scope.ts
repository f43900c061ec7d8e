/** Whether suites run on every engine and in every log-in mode (`npm run test:full`), and not on one and in one of each. */
export const isFullRun: boolean = process.env["TEST_SCOPE"] === "full";
