/** Middleware one after the other, as one. */
import type { Middleware } from 'koa'

/**
 * Each begins within the one before it. Unlike with koa-compose, one that is done at once makes no promise: what it throws, it
 * throws, and the first one that waits for the others catches it.
 */
export const inOrder = (...middleware: readonly Middleware[]): Middleware =>
  middleware.reduceRight<Middleware>(
    (rest, first) => (koa, next) => first(koa, () => rest(koa, next)),
    (_koa, next) => next(),
  )
