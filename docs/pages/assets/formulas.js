// Formulas are set by MathJax, which stands beside this file; nothing is fetched from elsewhere.
window.MathJax = {
  loader: { load: ["input/asciimath", "output/svg"] },
  asciimath: { delimiters: [["`", "`"]], displaystyle: false },
  options: { ignoreHtmlClass: ".*", processHtmlClass: "formula" },
  svg: { fontCache: "global" },
};
