export { faults } from "../faults/index.ts";
