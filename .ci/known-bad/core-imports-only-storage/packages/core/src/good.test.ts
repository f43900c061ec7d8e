import { equal } from "node:assert";
import { word } from "@sallyport/storage-memory";
equal(word, 1);
