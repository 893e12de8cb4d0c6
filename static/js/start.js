// Runs before the first paint: CSS shows what needs scripts (.needs-js) and hides what replaces it (.needs-no-js).
document.documentElement.classList.add("js");
