import { guideSuite } from "./guide-suite.ts";

guideSuite("classes.md");
