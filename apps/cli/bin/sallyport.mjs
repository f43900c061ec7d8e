#!/usr/bin/env node
// npm links commands of a clone before anything is built, and only those whose file is there.
await import("../dist/main.js");
