console.log("core");
