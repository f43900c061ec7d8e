export { fixture } from "../../core/test/fixture.ts";
