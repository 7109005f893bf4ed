// The connection to the server: messages out, messages in, and again after an interruption.

const RETRY_MS = 1000;

export function connect({ opened, received, lost }) {
  let socket = null;

  function open() {
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    socket.addEventListener("open", opened);
    socket.addEventListener("message", (event) => received(JSON.parse(event.data)));
    socket.addEventListener("close", () => {
      lost();
      setTimeout(open, RETRY_MS);
    });
  }

  open();
  return (message) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
}
