// The views of a run on a page or in a notebook: items that can be chosen, a slider through a derivation. Without this
// script the page shows everything at once. No element has an id: a page may hold many runs, each in a root of its own.
// There is no less-than sign and no ampersand in this file, so that it can stand in XML as it is.
(function () {
  "use strict";

  function each(root, selector, act) {
    Array.prototype.forEach.call(root.querySelectorAll(selector), act);
  }

  function list(text) {
    return (text || "").split(" ").filter(Boolean);
  }

  function chart(root) {
    var reason = root.querySelector(".sch-reason");
    var items = Array.prototype.slice.call(root.querySelectorAll(".sch-chart g.item"));

    function why(row) {  // an item, by which step, from which items, and notes
      var cells = Array.prototype.map.call(row.querySelectorAll("td"), function (cell) { return cell.textContent.trim(); });
      var from = cells[2] ? " from " + cells[2] : "";
      var by = cells[1] === "given" ? ", given" : " by " + cells[1];
      return cells[0] + by + from + (cells[3] ? " (" + cells[3] + ")" : "");
    }

    function choose(number) {
      var row = root.querySelector('.sch-items [data-row="' + number + '"]');
      var from = row ? list(row.getAttribute("data-from")) : [];
      each(root, "[data-item]", function (node) {
        var own = node.getAttribute("data-item");
        node.classList.toggle("sch-chosen", own === number);
        node.classList.toggle("sch-from", from.indexOf(own) !== -1);
      });
      each(root, ".sch-items [data-row]", function (other) {
        other.classList.toggle("sch-chosen", other === row);
      });
      if (reason) {
        var item = root.querySelector('g[data-item="' + number + '"] title');
        var text = row ? why(row) : item ? item.textContent : "";
        reason.textContent = text.replace(/\s+/g, " ").trim();
      }
    }

    function clickable(node) {
      node.setAttribute("role", "button");
      node.addEventListener("click", function () { choose(node.getAttribute("data-item")); });
      node.addEventListener("keydown", function (event) {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          choose(node.getAttribute("data-item"));
        }
      });
    }

    each(root, "[data-item]", clickable);
    each(root, ".sch-items button", function (node) { node.removeAttribute("disabled"); });
    items.forEach(function (node, place) {
      var title = node.querySelector("title");
      node.setAttribute("tabindex", place ? "-1" : "0");
      if (title) { node.setAttribute("aria-label", title.textContent); }
      node.addEventListener("keydown", function (event) {
        var step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        var next = step ? items[place + step] : null;
        if (next) {
          event.preventDefault();
          node.setAttribute("tabindex", "-1");
          next.setAttribute("tabindex", "0");
          next.focus();
        }
      });
    });
  }

  function derivation(view, root) {
    var steps = Array.prototype.slice.call(view.querySelectorAll(".sch-steps li"));
    var controls = view.querySelector(".sch-controls");
    var slider = controls ? controls.querySelector("input") : null;
    if (!slider) { return; }
    var said = view.querySelector(".sch-said");

    function ends(step) {
      return (step.getAttribute("data-ends") || "").split(",").filter(Boolean);
    }

    function show() {
      var count = Number(slider.value);
      var links = [];
      steps.forEach(function (step, place) {
        var done = count > place;
        step.classList.toggle("sch-later", !done);
        step.classList.toggle("sch-now", count === place + 1);
        if (done) { links = links.concat(ends(step)); }
      });
      each(view, "[data-step]", function (node) {
        node.classList.toggle("sch-later", Number(node.getAttribute("data-step")) > count);
        node.classList.toggle("sch-now", Number(node.getAttribute("data-step")) === count);
      });
      each(view, ".sch-arcs g.link", function (node) {
        node.classList.toggle("sch-later", links.indexOf(node.getAttribute("data-ends")) === -1);
      });
      var rooted = links.some(function (link) { return link.indexOf("0 ") === 0; });
      each(view, ".sch-arcs g.root", function (node) { node.classList.toggle("sch-later", !rooted); });
      var current = count ? steps[count - 1] : null;
      var text = current ? current.textContent.replace(/\s+/g, " ").trim() : "the hypotheses";
      said.textContent = count + " of " + steps.length + ": " + text;
      slider.setAttribute("aria-valuetext", said.textContent);
      var made = steps.slice(0, count).map(function (step) { return step.getAttribute("data-made"); });
      var from = current ? list(current.getAttribute("data-from")) : [];
      each(root, ".sch-chart g.item", function (node) {
        var own = node.getAttribute("data-item");
        node.classList.toggle("sch-made", made.indexOf(own) !== -1);
        node.classList.toggle("sch-now", current !== null ? own === current.getAttribute("data-made") : false);
        node.classList.toggle("sch-from", from.indexOf(own) !== -1);
      });
    }

    controls.removeAttribute("hidden");
    slider.addEventListener("input", show);
    each(controls, "button", function (button) {
      button.addEventListener("click", function () {
        slider.value = Number(slider.value) + Number(button.getAttribute("data-by"));
        show();
      });
    });
    steps.forEach(function (step, place) {
      step.addEventListener("click", function () {
        slider.value = place + 1;
        show();
      });
    });
  }

  function start() {
    each(document, ".sch-run:not([data-ready])", function (root) {
      root.setAttribute("data-ready", "");
      chart(root);
      each(root, ".sch-derivation", function (view) { derivation(view, root); });
    });
  }

  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", start);
  } else {
    start();
  }
}());
