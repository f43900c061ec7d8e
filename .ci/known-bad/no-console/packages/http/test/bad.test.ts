console.log("test");
