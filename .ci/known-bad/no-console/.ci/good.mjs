console.log("ci");
