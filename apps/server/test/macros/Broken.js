throw new Error("It is broken.");
