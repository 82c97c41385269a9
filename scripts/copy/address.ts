/** Addresses of stores as a person gives them. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const MONGODB = /^mongodb(?:\+srv)?:\/\/(?:[^@/]*@)?([^/?]+)(?:\/([^?]*))?/

/**
 * The address without what is secret or may differ from run to run: tells whether two addresses are one store.
 * @throws Error that says what an address looks like
 */
export function storeName(address: string): string {
  const path = /^sqlite:(.+)$/.exec(address)?.[1]
  if (path !== undefined && path !== ':memory:') return `sqlite:${resolve(path)}`
  const [, hosts, database = ''] = MONGODB.exec(address) ?? []
  if (hosts !== undefined) return `mongodb://${hosts.split(',').sort().join(',')}/${database === '' ? 'emr' : database}`
  throw new Error(`'${withoutPassword(address)}' is no store: give sqlite:<file> or mongodb://<host>/<database>`)
}

/** @throws Error when there is no file, which opening would make */
export function checkSource(address: string): void {
  const path = address.slice('sqlite:'.length)
  if (address.startsWith('sqlite:') && !existsSync(path)) throw new Error(`There is no file ${path} to copy from`)
}

const withoutPassword = (address: string): string => address.replace(/\/\/[^@/]*@/, '//')
