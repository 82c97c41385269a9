/**
 * Jest runs a test file in a realm of its own, where an error that Node itself throws (from a file, a socket, SQLite)
 * is not an `instanceof Error`. The server runs in one realm; so that tests see the same, an error is an error here too.
 */
Object.defineProperty(Error, Symbol.hasInstance, {
  value(this: unknown, value: unknown): boolean {
    if (this === Error) return Error.isError(value)
    return Function.prototype[Symbol.hasInstance].call(this, value)
  },
})
