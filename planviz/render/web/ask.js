// What an element asks the server: JSON there and back. `signal` stops the question; then the answer is { stopped: true }.
/**
 * @param {string} address
 * @param {unknown} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>} what the server tells, or { message }
 */
export async function post(address, body, signal) {
  try {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal,
    });
    return await answer.json();
  } catch (error) {
    if (/** @type {Error} */ (error).name === "AbortError") return { stopped: true };
    return { message: "The server does not answer. Reload the page, or start planviz again." };
  }
}
