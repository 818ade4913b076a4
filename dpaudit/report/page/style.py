"""The page's looks and its one script. No fonts, pictures or files from elsewhere."""

LIGHT = {
    "bg": "#fcfcfa", "panel": "#f2f1ec", "ink": "#1c1c1a", "quiet": "#595850", "line": "#c9c7bd",
    "edge": "#85837a", "link": "#17509c", "bad": "#9c1b1b", "badge": "#ffffff", "mark": "#fdf0cf",
    "bar": "#5b7ea6", "s0": "#1f5fa8", "s1": "#b3420f", "s2": "#2f7d3b", "s3": "#8a3a9c",
    "s4": "#856500", "s5": "#0d767a", "s6": "#b02a5b", "s7": "#5d5c55",
}  # fmt: skip
DARK = {
    "bg": "#171715", "panel": "#232320", "ink": "#ebe9e2", "quiet": "#adaba2", "line": "#45443e",
    "edge": "#8d8b81", "link": "#93bdf5", "bad": "#ff9d92", "badge": "#1c0b09", "mark": "#453a14",
    "bar": "#6f96c4", "s0": "#7fb2ee", "s1": "#f2946b", "s2": "#7fcf8c", "s3": "#d49ae4",
    "s4": "#d9b84a", "s5": "#5fcfd1", "s6": "#f08bb2", "s7": "#b5b3aa",
}  # fmt: skip
CONTRASTS = [
    *((fore, back, 4.5) for fore in ("ink", "quiet", "link", "bad") for back in ("bg", "panel")),
    ("ink", "mark", 4.5),
    ("badge", "bad", 4.5),
    *((fore, "bg", 3.0) for fore in ("edge", "bar", *(f"s{i}" for i in range(8)))),
]
"""Foreground, background, and the least contrast of WCAG 2.2 (AA): text 4.5, graphics 3."""


def _properties(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in colours.items())


CSS = (
    f":root{{color-scheme:light dark;{_properties(LIGHT)}}}\n"
    f"@media screen and (prefers-color-scheme:dark){{:root{{{_properties(DARK)}}}}}\n"
    + "".join(f".s{i}{{--own:var(--s{i})}}" for i in range(8))
    + """
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth;scroll-padding-top:1rem}
body{margin:0 auto;max-width:64rem;padding:1rem 1rem 4rem;background:var(--bg);color:var(--ink);
 font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif;
 overflow-wrap:break-word}
a{color:var(--link);text-underline-offset:.15em}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:.5rem;padding:.5rem 1rem;background:var(--bg);z-index:1}
h1,h2,h3{line-height:1.25;text-wrap:balance}
h1{font-size:1.75rem;margin:.25rem 0 1rem}
h2{font-size:1.4rem;margin:3.5rem 0 1rem;padding-top:.75rem;border-top:2px solid var(--edge)}
h3{font-size:1.1rem;margin:2.5rem 0 .5rem}
p,li,dd{max-width:46rem}
.kicker{margin:0;color:var(--quiet)}
.verdict{margin:1rem 0;padding:.9rem 1.1rem;border-left:6px solid var(--edge);
 background:var(--panel);font-size:1.2rem;line-height:1.45}
.verdict.wrong{border-left-color:var(--bad)}
nav ul{display:flex;flex-wrap:wrap;gap:.35rem 1.25rem;padding:0;margin:1rem 0;list-style:none}
code{font:.875em/1.5 ui-monospace,"SF Mono",Consolas,"Liberation Mono",monospace;
 unicode-bidi:isolate;overflow-wrap:anywhere}
h3,td,th{unicode-bidi:isolate}
th code{display:block;font-weight:400;color:var(--quiet)}
.badge{display:inline-block;padding:.05rem .5rem;border:1px solid var(--edge);border-radius:.6rem;
 font-size:.8125rem;font-weight:600;line-height:1.45;white-space:nowrap;color:var(--ink)}
.badge.violated,.badge.refuted,.badge.not-confirmed{background:var(--bad);border-color:var(--bad);
 color:var(--badge)}
.badge.typo,.badge.loose{border-color:var(--bad);color:var(--bad)}
.badge.undecided,.badge.open,.badge.not-decided{border-style:dashed}
.scroll{overflow-x:auto;margin:1rem 0;max-width:100%}
table{border-collapse:collapse;font-size:.9rem;line-height:1.4;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--quiet);padding-bottom:.35rem}
caption span,th[scope=rowgroup] span{position:sticky;left:0;display:inline-block;
 max-width:min(46rem,calc(100vw - 2rem))}
th,td{padding:.35rem .75rem .35rem 0;text-align:left;vertical-align:top;
 border-bottom:1px solid var(--line)}
thead th{font-weight:600;border-bottom:2px solid var(--edge);vertical-align:bottom}
tbody th{font-weight:500;min-width:7rem}
th[scope=rowgroup]{font-weight:600;padding-top:.9rem}
.ledger th[scope=row]{min-width:8rem}
.ledger td:nth-child(3){min-width:17rem}
.ledger td:nth-child(4),.ledger td:nth-child(5){min-width:8rem}
.witness th,.witness td{text-align:center;min-width:0;padding:.25rem .5rem}
.witness th:first-child{text-align:left;white-space:nowrap}
.witness .changed{background:var(--mark);font-weight:700;border-left:2px solid var(--ink);
 border-right:2px solid var(--ink)}
.changed span{display:block;font-size:.75rem}
details{margin:.5rem 0}
summary{cursor:pointer;color:var(--link);width:fit-content}
.whole{white-space:nowrap}
td summary{font-size:.85rem}
dl{margin:.75rem 0}
dl div{display:grid;grid-template-columns:9rem minmax(0,1fr);gap:.1rem 1rem;padding:.2rem 0}
dt{color:var(--quiet)}
dd{margin:0}
td dl div,dd ul{display:block;padding-left:0}
dd ul{padding-left:1.1rem;margin:0}
.again{font-size:.875rem;color:var(--quiet)}
.again .label{font-weight:600}
.again code{color:var(--ink);background:var(--panel);padding:.1rem .3rem;border-radius:.2rem}
figure{margin:1rem 0}
figcaption{font-size:.9rem;font-weight:600;margin-bottom:.25rem}
.plots figure{margin:0}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,26rem),1fr));
 gap:1.5rem 1rem}
svg{display:block;width:100%;max-width:29rem;height:auto;font:13px system-ui,sans-serif;
 font-variant-numeric:tabular-nums}
svg.wide{max-width:24rem}
svg.small{width:9.5rem;min-width:9.5rem}
svg text{fill:var(--ink)}
svg .quiet{fill:var(--quiet);font-size:12px}
svg .strong{font-weight:600}
svg .axis,svg .grid{stroke:var(--edge);stroke-width:1}
svg .grid{stroke:var(--line)}
svg .interval,svg .arrow{fill:var(--bar)}
svg .excess{stroke:var(--bad);stroke-width:6}
svg .thin{stroke-width:4}
svg .claim{stroke:var(--ink);stroke-width:2}
svg .curve{fill:none;stroke:var(--own);stroke-width:2;stroke-linejoin:round}
svg .band{fill:var(--own);opacity:.22}
svg .mark{fill:var(--own)}
svg .hollow{fill:none;stroke:var(--quiet)}
form{display:flex;flex-wrap:wrap;gap:.5rem 1.25rem;align-items:baseline;margin:1rem 0}
form p{margin:0}
select,input{font:inherit;font-size:.95rem;max-width:100%;padding:.2rem .4rem;color:inherit;
 background:var(--bg);border:1px solid var(--edge);border-radius:.25rem}
[hidden]{display:none!important}
@media (max-width:36rem){body{padding:.75rem .75rem 3rem}h1{font-size:1.4rem}
 .verdict{font-size:1.05rem}dl div{display:block}}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
@media print{body{max-width:none;padding:0;font-size:10pt}.skip,nav,form{display:none}
 .scroll{overflow:visible}article,figure,tr{break-inside:avoid}h2,h3{break-after:avoid}
 details::details-content{content-visibility:visible;block-size:auto;display:block}
 summary{list-style:none;color:inherit}a{color:inherit}}
"""
)

SCRIPT = """
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
"""
"""Shows the filter of the claims table, and opens what is folded before printing."""
