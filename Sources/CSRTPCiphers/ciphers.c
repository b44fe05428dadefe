#define OPENSSL_SUPPRESS_DEPRECATED /* SHA1_*: the EVP digests of OpenSSL 3.0 allocate a context a message */
#include "CSRTPCiphers.h"
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <srtp2/auth.h>
#include <srtp2/cipher.h>
#include <stdlib.h>
#include <string.h>

/* One state serves both modes: counter mode (RFC 3711 §4.1.1) and GCM (RFC 7714 §8). */
typedef struct {
    EVP_CIPHER_CTX *context;
    const EVP_CIPHER *evp;
    int tag_length;       /* GCM: 16 or 8 */
    uint8_t offset[16];   /* counter mode: the salt, at the counter's top */
    int is_encrypting;    /* GCM */
} cipher_state;

static void free_cipher(srtp_cipher_t *cipher) {
    if (!cipher) return;
    cipher_state *state = cipher->state;
    if (state) {
        EVP_CIPHER_CTX_free(state->context); /* wipes the key schedule */
        OPENSSL_cleanse(state, sizeof *state);
        free(state);
    }
    free(cipher);
}

static srtp_err_status_t make_cipher(
    srtp_cipher_t **out, const srtp_cipher_type_t *type, const EVP_CIPHER *evp, int key_length, int tag_length) {
    srtp_cipher_t *cipher = calloc(1, sizeof *cipher);
    cipher_state *state = calloc(1, sizeof *state);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (!cipher || !state || !context) {
        free(cipher), free(state), EVP_CIPHER_CTX_free(context);
        return srtp_err_status_alloc_fail;
    }
    *state = (cipher_state){.context = context, .evp = evp, .tag_length = tag_length};
    *cipher = (srtp_cipher_t){.type = type, .state = state, .key_len = key_length, .algorithm = type->id};
    *out = cipher;
    return srtp_err_status_ok;
}

static srtp_err_status_t deallocate(srtp_cipher_t *cipher) {
    free_cipher(cipher);
    return srtp_err_status_ok;
}

/* --- Counter mode --- */

static const srtp_cipher_type_t icm_128, icm_256, gcm_128, gcm_256;

static srtp_err_status_t icm_128_allocate(srtp_cipher_t **out, int key_length, int tag_length) {
    if (key_length != SRTP_AES_ICM_128_KEY_LEN_WSALT) return srtp_err_status_bad_param;
    return make_cipher(out, &icm_128, EVP_aes_128_ctr(), key_length, tag_length);
}
static srtp_err_status_t icm_256_allocate(srtp_cipher_t **out, int key_length, int tag_length) {
    if (key_length != SRTP_AES_ICM_256_KEY_LEN_WSALT) return srtp_err_status_bad_param;
    return make_cipher(out, &icm_256, EVP_aes_256_ctr(), key_length, tag_length);
}
static srtp_err_status_t icm_initialize(void *opaque, const uint8_t *key) {
    cipher_state *state = opaque;
    int key_length = EVP_CIPHER_get_key_length(state->evp);
    memset(state->offset, 0, sizeof state->offset);
    memcpy(state->offset, key + key_length, SRTP_SALT_LEN);
    return EVP_EncryptInit_ex(state->context, state->evp, NULL, key, NULL) ? srtp_err_status_ok
                                                                           : srtp_err_status_init_fail;
}
static srtp_err_status_t icm_set_counter(void *opaque, uint8_t *iv, srtp_cipher_direction_t direction) {
    cipher_state *state = opaque;
    uint8_t counter[16];
    (void)direction;
    for (int i = 0; i < 16; i++) counter[i] = state->offset[i] ^ iv[i];
    return EVP_EncryptInit_ex(state->context, NULL, NULL, NULL, counter) ? srtp_err_status_ok
                                                                         : srtp_err_status_cipher_fail;
}
static srtp_err_status_t icm_apply(void *opaque, uint8_t *octets, unsigned int *count) {
    cipher_state *state = opaque;
    int written = 0;
    if (!EVP_EncryptUpdate(state->context, octets, &written, octets, (int)*count)) return srtp_err_status_cipher_fail;
    *count = (unsigned int)written;
    return srtp_err_status_ok;
}

/* --- GCM --- */

static srtp_err_status_t gcm_128_allocate(srtp_cipher_t **out, int key_length, int tag_length) {
    if (key_length != SRTP_AES_GCM_128_KEY_LEN_WSALT || (tag_length != 16 && tag_length != 8))
        return srtp_err_status_bad_param;
    return make_cipher(out, &gcm_128, EVP_aes_128_gcm(), key_length, tag_length);
}
static srtp_err_status_t gcm_256_allocate(srtp_cipher_t **out, int key_length, int tag_length) {
    if (key_length != SRTP_AES_GCM_256_KEY_LEN_WSALT || (tag_length != 16 && tag_length != 8))
        return srtp_err_status_bad_param;
    return make_cipher(out, &gcm_256, EVP_aes_256_gcm(), key_length, tag_length);
}
static srtp_err_status_t gcm_initialize(void *opaque, const uint8_t *key) {
    cipher_state *state = opaque;
    return EVP_CipherInit_ex(state->context, state->evp, NULL, key, NULL, 1) ? srtp_err_status_ok
                                                                             : srtp_err_status_init_fail;
}
static srtp_err_status_t gcm_set_nonce(void *opaque, uint8_t *iv, srtp_cipher_direction_t direction) {
    cipher_state *state = opaque;
    if (direction != srtp_direction_encrypt && direction != srtp_direction_decrypt) return srtp_err_status_bad_param;
    state->is_encrypting = direction == srtp_direction_encrypt;
    return EVP_CipherInit_ex(state->context, NULL, NULL, NULL, iv, state->is_encrypting)
               ? srtp_err_status_ok
               : srtp_err_status_cipher_fail;
}
static srtp_err_status_t gcm_authenticate(void *opaque, const uint8_t *octets, uint32_t count) {
    cipher_state *state = opaque;
    int written = 0;
    return EVP_CipherUpdate(state->context, NULL, &written, octets, (int)count) ? srtp_err_status_ok
                                                                                : srtp_err_status_algo_fail;
}
static srtp_err_status_t gcm_encrypt(void *opaque, uint8_t *octets, unsigned int *count) {
    cipher_state *state = opaque;
    int written = 0;
    if (!state->is_encrypting) return srtp_err_status_bad_param;
    if (!EVP_EncryptUpdate(state->context, octets, &written, octets, (int)*count)) return srtp_err_status_cipher_fail;
    return srtp_err_status_ok;
}
static srtp_err_status_t gcm_get_tag(void *opaque, uint8_t *tag, uint32_t *count) {
    cipher_state *state = opaque;
    int written = 0;
    uint8_t none[16];
    if (!EVP_EncryptFinal_ex(state->context, none, &written) ||
        !EVP_CIPHER_CTX_ctrl(state->context, EVP_CTRL_AEAD_GET_TAG, state->tag_length, tag))
        return srtp_err_status_algo_fail;
    *count = (uint32_t)state->tag_length;
    return srtp_err_status_ok;
}
static srtp_err_status_t gcm_decrypt(void *opaque, uint8_t *octets, unsigned int *count) {
    cipher_state *state = opaque;
    int written = 0;
    uint8_t none[16];
    if (state->is_encrypting || *count < (unsigned int)state->tag_length) return srtp_err_status_bad_param;
    int length = (int)*count - state->tag_length;
    if (!EVP_CIPHER_CTX_ctrl(state->context, EVP_CTRL_AEAD_SET_TAG, state->tag_length, octets + length) ||
        !EVP_DecryptUpdate(state->context, octets, &written, octets, length) ||
        EVP_DecryptFinal_ex(state->context, none, &written) <= 0)
        return srtp_err_status_auth_fail;
    *count = (unsigned int)length;
    return srtp_err_status_ok;
}

/* --- HMAC-SHA1 (RFC 2104), with the two padded keys digested once --- */

typedef struct {
    SHA_CTX inner_start, outer_start, inner;
} hmac_state;

static srtp_err_status_t hmac_deallocate(srtp_auth_t *auth) {
    OPENSSL_cleanse(auth->state, sizeof(hmac_state));
    free(auth->state);
    free(auth);
    return srtp_err_status_ok;
}
static const srtp_auth_type_t hmac_sha1;
static srtp_err_status_t hmac_allocate(srtp_auth_t **out, int key_length, int tag_length) {
    if (key_length < 0 || key_length > SHA_DIGEST_LENGTH || tag_length < 0 || tag_length > SHA_DIGEST_LENGTH)
        return srtp_err_status_bad_param;
    srtp_auth_t *auth = calloc(1, sizeof *auth);
    hmac_state *state = calloc(1, sizeof *state);
    if (!auth || !state) {
        free(auth), free(state);
        return srtp_err_status_alloc_fail;
    }
    *auth = (srtp_auth_t){.type = &hmac_sha1, .state = state, .out_len = tag_length, .key_len = key_length};
    *out = auth;
    return srtp_err_status_ok;
}
static void digest_padded_key(SHA_CTX *context, const uint8_t *key, int length, uint8_t padding) {
    uint8_t block[SHA_CBLOCK];
    memset(block, padding, sizeof block);
    for (int i = 0; i < length; i++) block[i] ^= key[i];
    SHA1_Init(context);
    SHA1_Update(context, block, sizeof block);
    OPENSSL_cleanse(block, sizeof block);
}
static srtp_err_status_t hmac_initialize(void *opaque, const uint8_t *key, int length) {
    hmac_state *state = opaque;
    if (length < 0 || length > SHA_CBLOCK) return srtp_err_status_bad_param;
    digest_padded_key(&state->inner_start, key, length, 0x36);
    digest_padded_key(&state->outer_start, key, length, 0x5c);
    state->inner = state->inner_start;
    return srtp_err_status_ok;
}
static srtp_err_status_t hmac_start(void *opaque) {
    hmac_state *state = opaque;
    state->inner = state->inner_start;
    return srtp_err_status_ok;
}
static srtp_err_status_t hmac_update(void *opaque, const uint8_t *octets, int count) {
    hmac_state *state = opaque;
    SHA1_Update(&state->inner, octets, (size_t)count);
    return srtp_err_status_ok;
}
static srtp_err_status_t hmac_compute(
    void *opaque, const uint8_t *octets, int count, int tag_length, uint8_t *tag) {
    hmac_state *state = opaque;
    uint8_t digest[SHA_DIGEST_LENGTH];
    if (tag_length > SHA_DIGEST_LENGTH) return srtp_err_status_bad_param;
    SHA1_Update(&state->inner, octets, (size_t)count);
    SHA1_Final(digest, &state->inner);
    SHA_CTX outer = state->outer_start;
    SHA1_Update(&outer, digest, sizeof digest);
    SHA1_Final(digest, &outer);
    memcpy(tag, digest, (size_t)tag_length);
    return srtp_err_status_ok;
}

/* --- The types, with the known answers of those they replace (RFC 3711 appendix B, RFC 6188, RFC 2202) --- */

extern const srtp_cipher_test_case_t srtp_aes_icm_128_test_case_0, srtp_aes_icm_256_test_case_0;
extern const srtp_cipher_test_case_t srtp_aes_gcm_128_test_case_0, srtp_aes_gcm_256_test_case_0;
extern const srtp_auth_test_case_t srtp_hmac_test_case_0;

static const srtp_cipher_type_t icm_128 = {
    icm_128_allocate, deallocate, icm_initialize, NULL, icm_apply, icm_apply, icm_set_counter, NULL,
    "AES-128 counter mode (OpenSSL)", &srtp_aes_icm_128_test_case_0, SRTP_AES_ICM_128};
static const srtp_cipher_type_t icm_256 = {
    icm_256_allocate, deallocate, icm_initialize, NULL, icm_apply, icm_apply, icm_set_counter, NULL,
    "AES-256 counter mode (OpenSSL)", &srtp_aes_icm_256_test_case_0, SRTP_AES_ICM_256};

static const srtp_cipher_type_t gcm_128 = {
    gcm_128_allocate, deallocate, gcm_initialize, gcm_authenticate, gcm_encrypt, gcm_decrypt, gcm_set_nonce,
    gcm_get_tag, "AES-128 GCM (OpenSSL)", &srtp_aes_gcm_128_test_case_0, SRTP_AES_GCM_128};
static const srtp_cipher_type_t gcm_256 = {
    gcm_256_allocate, deallocate, gcm_initialize, gcm_authenticate, gcm_encrypt, gcm_decrypt, gcm_set_nonce,
    gcm_get_tag, "AES-256 GCM (OpenSSL)", &srtp_aes_gcm_256_test_case_0, SRTP_AES_GCM_256};
static const srtp_auth_type_t hmac_sha1 = {
    hmac_allocate, hmac_deallocate, hmac_initialize, hmac_compute, hmac_update, hmac_start,
    "HMAC-SHA1 (OpenSSL)", &srtp_hmac_test_case_0, SRTP_HMAC_SHA1};

static srtp_err_status_t installation;
static void install(void) {
    installation = srtp_init();
    const srtp_cipher_type_t *ciphers[] = {&icm_128, &icm_256, &gcm_128, &gcm_256};
    for (int i = 0; i < 4 && installation == srtp_err_status_ok; i++)
        installation = srtp_replace_cipher_type(ciphers[i], ciphers[i]->id);
    if (installation == srtp_err_status_ok) installation = srtp_replace_auth_type(&hmac_sha1, SRTP_HMAC_SHA1);
}
srtp_err_status_t csrtp_ciphers_install(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    return installation;
}
