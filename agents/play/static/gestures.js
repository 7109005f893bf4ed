// Drags that begin on a card of the hand: across others they select, to the pile they discard, to the melds they lay.

let start = null;
let isDragging = false;
let justDragged = false;

const cardAt = (node) => node?.closest?.(".hand [data-kind]");

// `follow`: { begin(), select(kind, place), discard(kind), lay() }
export function watchDrags(follow) {
  document.addEventListener("pointerdown", (event) => {
    const card = cardAt(event.target);
    justDragged = false;
    start = card && event.button === 0 ? { kind: card.dataset.kind, place: Number(card.dataset.place) } : null;
    if (card?.hasPointerCapture?.(event.pointerId)) card.releasePointerCapture(event.pointerId);
  });
  document.addEventListener("pointermove", (event) => {
    if (!start) return;
    const over = document.elementFromPoint(event.clientX, event.clientY);
    const card = cardAt(over);
    const isStart = card && card.dataset.kind === start.kind && Number(card.dataset.place) === start.place;
    if (isStart && !isDragging) return;
    if (!isDragging) {
      isDragging = true;
      follow.begin();
      follow.select(start.kind, start.place);
    }
    if (card) follow.select(card.dataset.kind, Number(card.dataset.place));
  });
  document.addEventListener("pointerup", (event) => {
    const begun = start;
    const wasDragging = isDragging;
    start = null;
    isDragging = false;
    if (!wasDragging) return;
    justDragged = true;
    const over = document.elementFromPoint(event.clientX, event.clientY);
    if (over?.closest(".pile-place")) follow.discard(begun.kind);
    else if (over?.closest(".side.own-side")) follow.lay();
  });
  document.addEventListener("pointercancel", () => {
    start = null;
    isDragging = false;
  });
}

// Whether a click only ends a drag.
export function endsDrag() {
  const is = justDragged;
  justDragged = false;
  return is;
}
