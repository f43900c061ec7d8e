throw new Error("no server answers");
