export { faults } from "./fault.ts";
