(function () {
  var form = document.getElementById("filter"), table = document.getElementById("ledger");
  if (form && table) {
    var rows = Array.from(table.querySelectorAll("tr[data-verdict]"));
    var texts = rows.map(function (row) { return row.textContent.toLowerCase(); });
    var update = function () {
      var verdict = form.elements.verdict.value, words = form.elements.words.value.toLowerCase();
      var paper = form.elements.paper ? form.elements.paper.value : "", shown = 0;
      rows.forEach(function (row, i) {
        var fits = (!verdict || row.dataset.verdict === verdict) &&
          (!paper || row.parentNode.dataset.paper === paper) && texts[i].includes(words);
        row.hidden = !fits;
        shown += fits;
      });
      Array.from(table.tBodies).forEach(function (body) {
        body.hidden = !body.querySelector("tr[data-verdict]:not([hidden])");
      });
      form.querySelector("[role=status]").textContent =
        shown + " of " + rows.length + " claims shown";
    };
    form.addEventListener("input", update);
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    form.hidden = false;
    update();
  }
  var closed = [];
  addEventListener("beforeprint", function () {
    closed = Array.from(document.querySelectorAll("details:not([open])"));
    closed.forEach(function (one) { one.open = true; });
  });
  addEventListener("afterprint", function () {
    closed.forEach(function (one) { one.open = false; });
  });
})();
