export { fixture } from "../test/fixture.ts";
