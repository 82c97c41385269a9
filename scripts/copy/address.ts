/** Addresses of stores given on the command line. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const MONGODB = /^mongodb(?:\+srv)?:\/\/(?:[^@/]*@)?([^/?]+)(?:\/([^?]*))?/

/**
 * The address without secrets and options that may differ between runs, to tell whether two addresses are the same
 * store.
 * @throws Error naming the supported addresses
 */
export function storeName(address: string): string {
  const path = /^sqlite:(.+)$/.exec(address)?.[1]
  if (path !== undefined && path !== ':memory:') return `sqlite:${resolve(path)}`
  const [, hosts, database = ''] = MONGODB.exec(address) ?? []
  if (hosts !== undefined) return `mongodb://${hosts.split(',').sort().join(',')}/${database === '' ? 'emr' : database}`
  throw new Error(`'${withoutPassword(address)}' is no store: give sqlite:<file> or mongodb://<host>/<database>`)
}

/** @throws Error when the file does not exist, as opening it would create it */
export function checkSource(address: string): void {
  const path = address.slice('sqlite:'.length)
  if (address.startsWith('sqlite:') && !existsSync(path)) throw new Error(`There is no file ${path} to copy from`)
}

const withoutPassword = (address: string): string => address.replace(/\/\/[^@/]*@/, '//')
