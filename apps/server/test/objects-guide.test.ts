import { guideSuite } from "./guide-suite.ts";

guideSuite("objects.md");
