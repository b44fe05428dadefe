int csrtp_ciphers_placeholder(void);
