/** Whether this is `npm run test:full`: suites run on every engine and in every log-in mode, and slow proofs run, too. */
export const isFullRun: boolean = process.env["TEST_SCOPE"] === "full";
