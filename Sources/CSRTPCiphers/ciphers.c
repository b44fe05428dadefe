int csrtp_ciphers_placeholder(void){return 0;}
