export { faults } from "./index.ts";
